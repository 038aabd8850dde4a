import { z } from 'zod';
import { defineRoute } from '../../contract/define-route.js';
import { queryInteger, timestamp, urlIdParam, uuidParam } from '../../contract/fields.js';
import { scanMethods } from '../classify/decide-scan.js';
import { deviceTypes } from '../classify/device-types.js';
import { referrerTypes } from '../classify/referrer-types.js';

/** The window of a report, and the buckets of its time series. */
export const windowQuery = z.strictObject({
  since: timestamp.optional().meta({
    param: { id: 'Since' },
    description:
      'The start of the window. Default: 30 days before now. The time series does not begin before the record was created, so 1970-01-01 means: all.',
    example: '2030-11-01T00:00:00Z',
  }),
  until: timestamp.optional().meta({
    param: { id: 'Until' },
    description: 'The end of the window (exclusive). Default: now.',
    example: '2030-12-01T00:00:00Z',
  }),
  groupBy: z
    .enum(['hour', 'day'], { error: 'must be hour or day' })
    .default('day')
    .meta({
      param: { id: 'GroupBy' },
      description: 'The length of one bucket of the time series, in UTC.',
    }),
});

const reportQuery = windowQuery.extend({
  limit: queryInteger({ min: 1, max: 50, default: 10 }).meta({
    param: { id: 'BreakdownLimit' },
    description: 'The most entries in each breakdown, the largest first.',
  }),
});
export type WindowInput = z.output<typeof windowQuery>;

const instant = z.string().meta({ format: 'date-time', example: '2030-11-01T00:00:00.000Z' });
const window = { since: instant, until: instant };
const countriesDate = z.iso.date().nullable().meta({
  description:
    'The date of the country database that finds the countries of new visits. Null when it cannot be read.',
  example: '2030-11-01',
});
const count = z.int().min(0);
const bucket = instant.meta({ description: 'The start of the bucket.' });
const uniques = count.meta({ description: 'Distinct visitors in this bucket.' });
const distinctVisitors = count.meta({ description: 'Distinct visitors in the whole window.' });
const uniqueIps = count.meta({ description: 'Distinct addresses in the whole window.' });
const urlId = z.string().meta({ example: '42' });
const shortCode = z.string().meta({ example: 'aB3xY9q' });

const country = z
  .string()
  .meta({ description: 'ISO 3166-1 alpha-2, or "Unknown".', example: 'DE' });
const deviceType = z.enum(deviceTypes);
const referrerDomain = z
  .string()
  .meta({ description: 'A host, or "(direct)".', example: 'news.example.com' });
const referrerType = z.enum(referrerTypes);
const scanMethod = z.enum(scanMethods);
const scannerApp = z.string().meta({
  description: 'The app that read the QR code, or "(none)" when it is unknown.',
  example: 'iOS Camera',
});
const browser = z.string().meta({ example: 'Firefox' });

const importedClicks = count.meta({
  description:
    'The clicks that another link shortener counted before the links were imported. They belong to no window, and no other count includes them.',
});

const uniquesAre = z.enum(['exact', 'daily sum']).meta({
  description:
    '`exact`: each visitor and address counts once in the totals. `daily sum`: the window contains days whose visits were deleted after the retention period, so a visitor of several of these days counts once for each.',
});

const certainty = {
  provenScans: count.meta({
    description:
      'Scans that only a QR code explains: the link has a custom slug, or a scanner app or an image search opened it.',
  }),
  inferredScans: count.meta({
    description:
      'The other scans: a phone or tablet opened the link without a referring page. A tap on the link in a message looks the same.',
  }),
};
const scanCounts = { scans: count, ...certainty };

const clickTotals = { totalClicks: count, uniqueClicks: distinctVisitors, uniqueIps };

const clickReport = {
  totals: z.object(clickTotals),
  breakdowns: z
    .object({
      country: z.array(z.object({ country, clicks: count })),
      device: z.array(z.object({ deviceType, clicks: count })),
      browser: z.array(z.object({ browser, clicks: count })),
      os: z.array(z.object({ os: z.string().meta({ example: 'Android' }), clicks: count })),
      referrer: z.array(z.object({ referrerDomain, referrerType, clicks: count })),
    })
    .meta({ id: 'ClickBreakdowns' }),
  timeseries: z.array(z.object({ bucket, clicks: count, uniques }).meta({ id: 'ClickBucket' })),
};
export type ClickReport = z.input<z.ZodObject<typeof clickReport>>;

const scanReport = {
  totals: z.object({ totalScans: count, uniqueScans: distinctVisitors, uniqueIps, ...certainty }),
  breakdowns: z
    .object({
      country: z.array(z.object({ country, ...scanCounts })),
      device: z.array(z.object({ deviceType, ...scanCounts })),
      browser: z.array(z.object({ browser, ...scanCounts })),
      scanMethod: z.array(z.object({ scanMethod, ...scanCounts })),
      scannerApp: z.array(z.object({ scannerApp, ...scanCounts })),
    })
    .meta({ id: 'ScanBreakdowns' }),
  timeseries: z.array(
    z.object({ bucket, scans: count, uniques, ...certainty }).meta({ id: 'ScanBucket' }),
  ),
};
export type ScanReport = z.input<z.ZodObject<typeof scanReport>>;

const urlClicks = z
  .object({
    urlId,
    shortCode,
    ...window,
    countriesDate,
    importedClicks,
    uniquesAre,
    ...clickReport,
  })
  .meta({ id: 'UrlClicks' });

const analyticsOverview = z
  .object({
    ...window,
    countriesDate,
    importedClicks,
    uniquesAre,
    totals: z.object({
      totalUrls: count,
      activeUrls: count,
      ...clickTotals,
      totalQrs: count.meta({ description: 'QR codes that exist now.' }),
      totalScans: count.meta({
        description: 'Scans in the window, including those of deleted QR codes.',
      }),
      ...certainty,
    }),
    topUrls: z.array(
      z.object({
        urlId,
        shortCode,
        shortUrl: z.string().meta({ example: 'https://sho.example/spring-sale' }),
        clicks: count,
      }),
    ),
    breakdowns: clickReport.breakdowns,
    timeseries: clickReport.timeseries,
  })
  .meta({ id: 'AnalyticsOverview' });

const qrScans = z
  .object({
    qrCodeId: z.string().meta({ format: 'uuid' }),
    urlId: z.string().nullable().meta({
      description: 'Null for a standalone QR code, whose scans are unknown.',
      example: '42',
    }),
    ...window,
    countriesDate,
    uniquesAre,
    ...scanReport,
  })
  .meta({ id: 'QrScans' });

export const reportRoutes = [
  defineRoute('getUrlClicks', 'GET /api/v1/urls/{id}/clicks', {
    tag: 'Analytics',
    summary: 'Read the clicks of a URL',
    description:
      'Clicks of people. Bots, link previews, prefetches and HEAD requests do not count. The time series includes buckets without clicks.',
    access: { scope: 'urls:read' },
    params: z.object({ id: urlIdParam }),
    query: reportQuery,
    responses: { 200: { description: 'The clicks in the window', data: urlClicks } },
  }),
  defineRoute('getAnalyticsOverview', 'GET /api/v1/analytics/overview', {
    tag: 'Analytics',
    summary: "Read the clicks of all of the organization's URLs",
    description: 'The clicks of all URLs together, and the URLs with the most clicks.',
    access: { scope: 'analytics:read', or: 'urls:read' },
    query: reportQuery,
    responses: { 200: { description: 'The clicks in the window', data: analyticsOverview } },
  }),
  defineRoute('getQrScans', 'GET /api/v1/qr/{id}/scans', {
    tag: 'Analytics',
    summary: 'Read the scans of a QR code',
    description:
      'Visits of people who scanned the QR code, from its creation to its deletion. A deleted QR code still has a report. All QR codes of one URL contain the same text, so each of them reports the scans of all. Downloads and previews are not scans.',
    access: { scope: 'qr:read' },
    params: z.strictObject({ id: uuidParam }),
    query: reportQuery,
    responses: { 200: { description: 'The scans in the window', data: qrScans } },
  }),
] as const;
