import type { Bucket } from '@shorty/report';
import type { AnalyticsOverview, ClickBucket, UrlClicks } from '@shorty/sdk';
import { fixtures } from '@shorty/sdk/testing';

const since = Date.UTC(2030, 10, 1);
const dayMs = 86_400_000;

/** Daily buckets from 1 November 2030 with these clicks. */
export function clickDays(counts: readonly number[]): ClickBucket[] {
  return counts.map((clicks, index) => ({
    bucket: new Date(since + index * dayMs).toISOString(),
    clicks,
    uniques: Math.ceil(clicks * 0.6),
  }));
}

/** The same buckets in a report whose window contains them whole. */
export function wholeDays(counts: readonly number[]): Bucket[] {
  return clickDays(counts).map((bucket) => ({ ...bucket, isPartial: false }));
}

const month = Array.from({ length: 30 }, (_, day) =>
  Math.round(180 + 150 * Math.sin(day / 2.2) + (day === 14 ? 900 : 0)),
);

/** Returns a row of a breakdown, which its first field names. */
export function row<Fields extends { readonly clicks: number }>(fields: Fields) {
  return { ...fields, label: String(Object.values(fields)[0]), count: fields.clicks };
}

/** A response with the clicks of a link in November 2030. */
export function urlClicks(change: Partial<UrlClicks> = {}): UrlClicks {
  const totalClicks = month.reduce((sum, clicks) => sum + clicks, 0);
  return {
    urlId: '42',
    shortCode: 'aB3xY9q',
    createdAt: '2030-10-01T00:00:00.000Z',
    since: '2030-11-01T00:00:00.000Z',
    until: '2030-12-01T00:00:00.000Z',
    timezone: 'UTC',
    countriesDate: '2030-11-20',
    importedClicks: 0,
    retainedSince: null,
    totals: { totalClicks, uniqueClicks: 2817, uniqueIps: 2604 },
    breakdowns: {
      ...fixtures.getUrlClicks.breakdowns,
      country: [
        row({ country: 'DE', clicks: 3012 }),
        row({ country: 'GB', clicks: 1203 }),
        row({ country: 'BR', clicks: 811 }),
        row({ country: 'Unknown', clicks: 3 }),
      ],
      referrer: [
        row({ referrerDomain: '(direct)', referrerType: 'direct', clicks: 2400 }),
        row({ referrerDomain: 'google.com', referrerType: 'search', clicks: 1500 }),
        row({
          referrerDomain: 'a-very-long-subdomain-of-a-newsletter.campaigns.mail.example.com',
          referrerType: 'email',
          clicks: 700,
        }),
        row({
          referrerDomain: '日本語の長い名前のニュースサイト東京.example',
          referrerType: 'other',
          clicks: 90,
        }),
      ],
      language: [row({ language: 'de', clicks: 4100 }), row({ language: 'Unknown', clicks: 20 })],
      utmCampaign: [
        row({ utmCampaign: '(none)', clicks: 4100 }),
        row({ utmCampaign: 'spring-sale', clicks: 1000 }),
      ],
      utmTerm: [row({ utmTerm: '(none)', clicks: 5100 })],
    },
    timeseries: clickDays(month),
    ...change,
  };
}

/** A response with the clicks of all links. */
export function analyticsOverview(change: Partial<AnalyticsOverview> = {}): AnalyticsOverview {
  const { urlId: _, shortCode: __, createdAt: ___, totals, ...shared } = urlClicks();
  return {
    ...shared,
    totals: {
      ...totals,
      totalUrls: 1280,
      activeUrls: 1204,
      totalQrs: 31,
      totalScans: 908,
      provenScans: 700,
      inferredScans: 208,
    },
    topUrls: [
      {
        urlId: '42',
        shortCode: 'aB3xY9q',
        shortUrl: 'https://sho.example/spring-sale',
        clicks: 3100,
      },
      { urlId: '7', shortCode: 'q2', shortUrl: 'https://sho.example/東京-セール', clicks: 900 },
    ],
    ...change,
  };
}
