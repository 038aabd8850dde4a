import { z } from 'zod';
import { defineRoute } from '../../contract/define-route.js';
import { queryInteger, timestamp, urlIdParam } from '../../contract/fields.js';

/** The length of one bucket of a time series. */
export const groupings = ['hour', 'day'] as const;
export type GroupBy = (typeof groupings)[number];

/** The default length of a report's window. */
export const defaultWindowMs = 30 * 24 * 60 * 60 * 1000;

export const clicksQuery = z.strictObject({
  since: timestamp.optional().meta({
    param: { id: 'Since' },
    description: 'The start of the window. Default: 30 days before now.',
    example: '2030-11-01T00:00:00Z',
  }),
  until: timestamp.optional().meta({
    param: { id: 'Until' },
    description: 'The end of the window (exclusive). Default: now.',
    example: '2030-12-01T00:00:00Z',
  }),
  groupBy: z
    .enum(groupings, { error: 'must be hour or day' })
    .default('day')
    .meta({
      param: { id: 'GroupBy' },
      description: 'The length of one bucket of the time series, in UTC.',
    }),
  limit: queryInteger({ min: 1, max: 50, default: 10 }).meta({
    param: { id: 'BreakdownLimit' },
    description: 'The most entries in each breakdown, the largest first.',
  }),
});

export const instant = z
  .string()
  .meta({ format: 'date-time', example: '2030-11-01T00:00:00.000Z' });
const clicks = z.int().min(0);

const totalFields = {
  totalClicks: clicks,
  uniqueClicks: clicks.meta({ description: 'Distinct visitors in the whole window.' }),
  uniqueIps: clicks.meta({ description: 'Distinct addresses in the whole window.' }),
};

export const clickTotals = z.object(totalFields);

export const country = z
  .string()
  .meta({ description: 'ISO 3166-1 alpha-2, or "Unknown".', example: 'DE' });
export const deviceType = z.enum(['desktop', 'mobile', 'tablet', 'other']);
export const browser = z.string().meta({ example: 'Firefox' });

export const clickBreakdowns = z
  .object({
    country: z.array(z.object({ country, clicks })),
    device: z.array(z.object({ deviceType, clicks })),
    browser: z.array(z.object({ browser, clicks })),
    os: z.array(z.object({ os: z.string().meta({ example: 'Android' }), clicks })),
    referrer: z.array(
      z.object({
        referrerDomain: z
          .string()
          .meta({ description: 'A host, or "(direct)".', example: 'news.example.com' }),
        referrerType: z.enum([
          'direct',
          'search',
          'social',
          'email',
          'paid',
          'ai',
          'internal',
          'other',
        ]),
        clicks,
      }),
    ),
  })
  .meta({ id: 'ClickBreakdowns' });

export const clickBucket = z
  .object({
    bucket: instant.meta({ description: 'The start of the bucket.' }),
    clicks,
    uniques: clicks.meta({ description: 'Distinct visitors in this bucket.' }),
  })
  .meta({ id: 'ClickBucket' });

const window = {
  since: instant,
  until: instant,
};

export const urlClicks = z
  .object({
    urlId: z.string().meta({ example: '42' }),
    shortCode: z.string().meta({ example: 'aB3xY9q' }),
    ...window,
    totals: clickTotals,
    breakdowns: clickBreakdowns,
    timeseries: z.array(clickBucket),
  })
  .meta({ id: 'UrlClicks' });

export const analyticsOverview = z
  .object({
    ...window,
    totals: z.object({
      totalUrls: clicks,
      activeUrls: clicks,
      ...totalFields,
      totalQrs: clicks.meta({ description: 'QR codes that exist now.' }),
      totalScans: clicks.meta({
        description: 'Scans in the window, including those of deleted QR codes.',
      }),
    }),
    topUrls: z.array(
      z.object({
        urlId: z.string().meta({ example: '42' }),
        shortCode: z.string().meta({ example: 'aB3xY9q' }),
        shortUrl: z.string().meta({ example: 'https://sho.example/spring-sale' }),
        clicks,
      }),
    ),
    breakdowns: clickBreakdowns,
    timeseries: z.array(clickBucket),
  })
  .meta({ id: 'AnalyticsOverview' });

export const clickRoutes = [
  defineRoute({
    operationId: 'getUrlClicks',
    method: 'get',
    path: '/api/v1/urls/{id}/clicks',
    tag: 'Analytics',
    summary: 'Read the clicks of a URL',
    description:
      'Clicks of people. Bots, link previews, prefetches and HEAD requests do not count. The time series includes buckets without clicks.',
    access: { scope: 'urls:read' },
    params: z.object({ id: urlIdParam }),
    query: clicksQuery,
    responses: { 200: { description: 'The clicks in the window', data: urlClicks } },
    errors: ['NOT_FOUND'],
  }),
  defineRoute({
    operationId: 'getAnalyticsOverview',
    method: 'get',
    path: '/api/v1/analytics/overview',
    tag: 'Analytics',
    summary: "Read the clicks of all of the organization's URLs",
    description: 'The clicks of all URLs together, and the URLs with the most clicks.',
    access: { scope: 'analytics:read', or: 'urls:read' },
    query: clicksQuery,
    responses: { 200: { description: 'The clicks in the window', data: analyticsOverview } },
  }),
] as const;
