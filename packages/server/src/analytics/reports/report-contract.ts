import { z } from 'zod';
import { defineRoute } from '../../contract/define-route.js';
import {
  localTimestamp,
  paging,
  plainLine,
  queryInteger,
  urlIdParam,
  uuidParam,
} from '../../contract/fields.js';
import { clickDimensions, scanDimensions } from './dimensions.js';
import { breakdownsOf, filtersOf, naming, repeated } from './report-fields.js';
import { timezoneRule, utc } from './time-zone.js';

export const windowQuery = z.strictObject({
  since: localTimestamp.optional().meta({
    param: { id: 'Since' },
    description:
      'The start of the window. Default: 30 days before now. A time series of more than 1,000 buckets begins when the record was created, so 1970-01-01 means: all.',
    example: '2030-11-01T00:00:00Z',
  }),
  until: localTimestamp.optional().meta({
    param: { id: 'Until' },
    description: 'The end of the window (exclusive). Default: now.',
    example: '2030-12-01T00:00:00Z',
  }),
  groupBy: z
    .enum(['hour', 'day'], { error: 'must be hour or day' })
    .default('day')
    .meta({
      param: { id: 'GroupBy' },
      description: 'The length of one bucket of the time series.',
    }),
});

const timezone = z
  .string()
  .regex(/^[A-Za-z][A-Za-z0-9_+/-]{0,63}$/, naming(timezoneRule))
  .default(utc)
  .meta({
    param: { id: 'Timezone' },
    description:
      'The IANA name of a time zone. Its hours and days are the buckets, and since and until are in it if they have no offset. Changes of clocks are respected.',
    example: 'Europe/Berlin',
  });

const reportQuery = windowQuery.extend({
  timezone,
  limit: queryInteger({ min: 1, max: 50, default: 10 }).meta({
    param: { id: 'BreakdownLimit' },
    description: 'The most entries in each breakdown, the largest first.',
  }),
});
export type WindowInput = z.output<typeof windowQuery> & {
  readonly timezone?: string | undefined;
};

const clickQuery = reportQuery.extend(filtersOf(clickDimensions));
const uuidFilter = z.guid(naming('must be a UUID')).overwrite((value) => value.toLowerCase());
const urlIdFilter = z
  .string()
  .refine(
    (value) => urlIdParam.safeParse(value).success,
    naming('must be a positive integer in decimal digits'),
  )
  .transform(Number)
  .meta({ override: { type: 'string', pattern: '^[1-9]\\d{0,15}$' }, example: '42' });
const overviewQuery = clickQuery.extend({
  tag: repeated(plainLine(100, 1)).meta({
    param: { id: 'TagFilter' },
    description: 'Only links with this tag; repeated, with one of these tags.',
  }),
  domainId: repeated(uuidFilter).meta({
    param: { id: 'DomainIdFilter' },
    description: 'Only links on this custom domain; repeated, on one of these.',
  }),
  urlId: repeated(urlIdFilter).meta({
    param: { id: 'UrlIdFilter' },
    description: 'Only this link; repeated, only these.',
  }),
});

const maxVisitLines = 5_000;
const visitQuery = overviewQuery.omit({ groupBy: true }).extend({
  limit: queryInteger({ min: 1, max: maxVisitLines, default: maxVisitLines }).meta({
    description: 'The most visits to return.',
  }),
  after: paging.after,
  ...filtersOf(scanDimensions),
});
const scanQuery = clickQuery.extend(filtersOf(scanDimensions));

const instant = z.string().meta({ format: 'date-time', example: '2030-11-01T00:00:00.000Z' });
const window = {
  since: instant,
  until: instant,
  timezone: z.string().meta({
    description: 'The time zone of the buckets, and of the offsets of all times in the report.',
    example: 'UTC',
  }),
};
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
const createdAt = instant.meta({
  description: 'When the record was created, in UTC. The buckets before have no visits.',
});

const importedClicks = count.meta({
  description:
    'The clicks that another link shortener counted before the links were imported. They belong to no window, and no other count includes them.',
});

const retainedSince = instant.nullable().meta({
  description:
    'The operator of the server deletes older visits: no count and no bucket has them. Null: none are deleted.',
  example: null,
});

const head = { ...window, countriesDate, retainedSince };

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

const clickTotals = { totalClicks: count, uniqueClicks: distinctVisitors, uniqueIps };

const clickReport = {
  totals: z.object(clickTotals),
  breakdowns: breakdownsOf(clickDimensions, { clicks: count }).meta({ id: 'ClickBreakdowns' }),
  timeseries: z.array(z.object({ bucket, clicks: count, uniques }).meta({ id: 'ClickBucket' })),
};
export type ClickReport = z.input<z.ZodObject<typeof clickReport>>;

const scanReport = {
  totals: z.object({ totalScans: count, uniqueScans: distinctVisitors, uniqueIps, ...certainty }),
  breakdowns: breakdownsOf(scanDimensions, { scans: count, ...certainty }).meta({
    id: 'ScanBreakdowns',
  }),
  timeseries: z.array(
    z.object({ bucket, scans: count, uniques, ...certainty }).meta({ id: 'ScanBucket' }),
  ),
};
export type ScanReport = z.input<z.ZodObject<typeof scanReport>>;

const urlClicks = z
  .object({ urlId, shortCode, createdAt, ...head, importedClicks, ...clickReport })
  .meta({ id: 'UrlClicks' });

const analyticsOverview = z
  .object({
    ...head,
    importedClicks,
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

const visitExport = z
  .object({
    since: instant,
    until: instant,
    timezone: window.timezone,
    count: count.meta({ description: 'The number of visits on this page.' }),
    text: z.string().meta({
      description:
        'NDJSON (application/x-ndjson): one line for each visit, in the order of time. The texts of all pages make one file. The fields are visitedAt (in UTC), urlId, shortCode, customSlug, method (click or scan), those of all breakdowns, and of scans scanMethod, scannerApp and certainty (proven or inferred). Nothing identifies the visitor.',
      example: '{"visitedAt":"2030-11-01T00:00:00.000Z","urlId":"42","method":"click"}\n',
    }),
    nextAfter: z.string().nullable().meta({
      description: 'Send it as after to get the next page. Null on the last page.',
      example: null,
    }),
  })
  .meta({ id: 'VisitExport' });

const qrScans = z
  .object({
    qrCodeId: z.string().meta({ format: 'uuid' }),
    urlId: z.string().nullable().meta({
      description: 'Null for a standalone QR code, whose scans are unknown.',
      example: '42',
    }),
    createdAt,
    ...head,
    ...scanReport,
  })
  .meta({ id: 'QrScans' });

export const reportRoutes = [
  defineRoute('getUrlClicks', 'GET /api/v1/urls/{id}/clicks', {
    tag: 'Analytics',
    takesRestrictedKeys: true,
    summary: 'Read the clicks of a URL',
    description:
      'Clicks of people. Bots, link previews, prefetches and HEAD requests do not count. The time series includes buckets without clicks.',
    access: { scope: 'urls:read' },
    params: z.object({ id: urlIdParam }),
    query: clickQuery,
    responses: { 200: { description: 'The clicks in the window', data: urlClicks } },
  }),
  defineRoute('getAnalyticsOverview', 'GET /api/v1/analytics/overview', {
    tag: 'Analytics',
    takesRestrictedKeys: true,
    summary: "Read the clicks of all of the organization's URLs",
    description: 'The clicks of all URLs together, and the URLs with the most clicks.',
    access: { scope: 'analytics:read', or: 'urls:read' },
    query: overviewQuery,
    responses: { 200: { description: 'The clicks in the window', data: analyticsOverview } },
  }),
  defineRoute('exportVisits', 'GET /api/v1/visits', {
    tag: 'Analytics',
    takesRestrictedKeys: true,
    summary: 'Export the visits of people as NDJSON',
    description: `Pages of up to ${maxVisitLines} visits, oldest first. Send nextAfter as after until it is null, with the same filters, and with since and until, whose defaults move. The lines with a value are as many as a report counts for it.`,
    access: { scope: 'analytics:read', or: 'urls:read' },
    query: visitQuery,
    responses: { 200: { description: 'One page of the file', data: visitExport } },
  }),
  defineRoute('getQrScans', 'GET /api/v1/qr/{id}/scans', {
    tag: 'Analytics',
    takesRestrictedKeys: true,
    summary: 'Read the scans of a QR code',
    description:
      'Visits of people who scanned the QR code, from its creation to its deletion. A deleted QR code still has a report. All QR codes of one URL contain the same text, so each of them reports the scans of all. Downloads and previews are not scans.',
    access: { scope: 'qr:read' },
    params: z.strictObject({ id: uuidParam }),
    query: scanQuery,
    responses: { 200: { description: 'The scans in the window', data: qrScans } },
  }),
] as const;
