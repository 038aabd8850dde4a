import type { ClicksQuery, OverviewQuery, ScansQuery } from '@shorty/sdk';
import { z } from 'zod';
import { periodOf, readTime } from '../analytics/parse-time.js';
import {
  linkFilters,
  type ReportFilter,
  scanFilters,
  visitFilters,
} from '../analytics/report-filters.js';
import { UsageError } from '../cli-error.js';
import { findLinkId } from '../find-link.js';
import { dataOf } from '../response-data.js';
import { link } from './link-tools.js';

import { timeInput } from './time-input.js';
import { defineTool, type Tool } from './tool.js';

const window = {
  since: timeInput('start, by default 30 days ago'),
  until: timeInput('end, by default now'),
  timezone: z
    .string()
    .describe('the IANA name of the time zone of dates and buckets; default: UTC')
    .exactOptional(),
  groupBy: z.enum(['hour', 'day']).describe('length of a bucket of the time series').default('day'),
  limit: z.int().min(1).max(50).describe('entries of each list').default(10),
};

/** Returns an input with filters. A visit must match each of them by one of its values. */
function filtersInput(filters: Readonly<Record<string, ReportFilter>>) {
  const shape = Object.entries(filters).map(([name, { description }]) => [
    name,
    z.array(z.string()).min(1).max(20).describe(description).exactOptional(),
  ]);
  return z
    .strictObject(
      Object.fromEntries(shape) as Record<string, z.ZodExactOptional<z.ZodArray<z.ZodString>>>,
    )
    .describe('filters: each must match, by one of its values')
    .exactOptional();
}

export const reportTools: readonly Tool[] = [
  defineTool({
    name: 'get_click_report',
    title: 'Report clicks',
    description:
      'Reports the clicks of one link, or of all links with the most clicked links: totals, unique visitors, countries, devices, browsers, referrers, languages, UTM parameters and a time series. Bots do not count. With link, it needs the scope urls:read, and without, analytics:read.',
    access: 'read',
    scopes: ['urls:read', 'analytics:read'],
    input: z.strictObject({
      link: link
        .describe('id, short URL, slug or code of the link; default: all links')
        .exactOptional(),
      ...window,
      filters: filtersInput({ ...visitFilters, ...linkFilters }),
    }),
    output: z.union([dataOf('getUrlClicks'), dataOf('getAnalyticsOverview')]),
    run: async ({ link: name, ...input }, { client, signal, now }) => {
      const query = queryOf(input, now());
      const linkFilter = Object.keys(linkFilters).find((each) => input.filters?.[each]);
      if (name !== undefined && linkFilter !== undefined) {
        throw new UsageError(`filters.${linkFilter} cannot be used in the report of one link`);
      }
      if (name === undefined) return { data: await client.analytics.overview(query, { signal }) };
      const id = await findLinkId(client, name, { signal });
      return { data: await client.urls.clicks(id, query, { signal }) };
    },
  }),
  defineTool({
    name: 'get_scan_report',
    title: 'Report scans of a QR code',
    description:
      'Reports the scans of one QR code: totals, countries, devices, scanner apps and a time series.',
    access: 'read',
    scopes: ['qr:read'],
    input: z.strictObject({
      id: z.string().describe('id of the QR code (a UUID)'),
      ...window,
      filters: filtersInput({ ...visitFilters, ...scanFilters }),
    }),
    output: dataOf('getQrScans'),
    run: async ({ id, ...input }, { client, signal, now }) => ({
      data: await client.qr.scans(id, queryOf(input, now()), { signal }),
    }),
  }),
  defineTool({
    name: 'get_account',
    title: 'Get account and usage',
    description:
      'Returns the organization, its plan, the scopes of this connection, and the usage of a month with the limits of the plan.',
    access: 'read',
    scopes: [],
    input: z.strictObject({
      period: z
        .string()
        .describe('a month such as 2030-01; default: the current month in UTC')
        .exactOptional(),
    }),
    output: dataOf('getMe').extend({ usage: dataOf('getUsage') }),
    run: async (query, { client, signal }) => {
      const [me, usage] = await Promise.all([
        client.me({ signal }),
        client.usage.get(query, { signal }),
      ]);
      return { data: { ...me, usage } };
    },
  }),
];

interface Window {
  readonly since?: string;
  readonly until?: string;
  readonly timezone?: string;
  readonly groupBy: 'hour' | 'day';
  readonly limit: number;
  readonly filters?: Readonly<Record<string, readonly string[]>>;
}

/** Returns the query for the server, which reads dates in the time zone. */
function queryOf(
  { since, until, timezone, filters, ...query }: Window,
  now: number,
): ClicksQuery & OverviewQuery & ScansQuery {
  const end = until ?? periodOf(since ?? '', now, timezone)?.until;
  return {
    ...query,
    ...filters,
    ...(timezone !== undefined && { timezone }),
    ...(since !== undefined && { since: readTime('since', since, now, timezone) }),
    ...(end !== undefined && { until: readTime('until', end, now, timezone) }),
  };
}
