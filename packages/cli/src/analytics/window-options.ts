import type { GroupBy, ReportFilters, ReportRequest } from '@shorty/report';
import type { ClicksQuery, OverviewQuery, ScansQuery } from '@shorty/sdk';
import { defined, type OptionRows, parsePositive } from '../command.js';
import type { Context } from '../context.js';
import { fieldOptions } from '../field-options.js';
import { type Input, withIds } from '../input.js';
import { Named, namingSeveral } from '../records.js';
import { firstBucket, parseTimeZone, readTime } from './parse-time.js';

/** The options of commands that print clicks. The others are filters. */
export interface WindowFlags extends Input {
  readonly since?: string;
  readonly until?: string;
  readonly timezone?: string;
  readonly groupBy: GroupBy;
  readonly limit?: number;
}

const windowHelp = `A time is a timestamp (2030-11-01T00:00:00Z), a date (2030-11-01: its start), or
a duration before now (24h, 7d, 12w). Dates and timestamps without a zone are in
UTC, or in --timezone.`;

export const reportHelp = `${windowHelp}
In a report, 7d are whole days: today and the six before it. With --group-by
hour, 24h are whole hours.`;

const windowOptions: OptionRows = {
  '--since <time>': 'start of the window (default: 30 days ago)',
  '--until <time>': 'end of the window (default: now)',
};

// The names of the others are those of their filters.
const windowNames = ['since', 'until', 'groupBy', 'timezone', 'limit', 'urlId'];

export const linkFilter: OptionRows = { '--link <link>': namingSeveral('link', 'only this link') };

const timezoneOption: OptionRows = {
  '--timezone <name>': {
    text: 'time zone of dates and buckets, such as Europe/Berlin (default: UTC)',
    parse: parseTimeZone,
  },
};

export type ReportOperation = 'getUrlClicks' | 'getAnalyticsOverview' | 'getQrScans';

/** Returns the options of a report on the clicks of a link, on all links, or on scans. */
export function reportOptions(operation: ReportOperation): OptionRows {
  return {
    ...windowOptions,
    '--group-by <span>': { text: 'length of a bucket', choices: ['hour', 'day'], default: 'day' },
    '--limit <count>': { text: 'entries per list, 1 to 50 (default: 10)', parse: parsePositive },
    ...timezoneOption,
    ...fieldOptions(operation, windowNames),
    ...(operation === 'getAnalyticsOverview' && linkFilter),
  };
}

/** The options of an export of visits. */
export const visitOptions: OptionRows = {
  ...windowOptions,
  ...timezoneOption,
  ...fieldOptions('exportVisits', windowNames),
  ...linkFilter,
};

/** Returns the request of a report. */
export async function createReportRequest(
  context: Context,
  flags: WindowFlags,
): Promise<ReportRequest<ClicksQuery & OverviewQuery & ScansQuery>> {
  const { since, until, timezone, groupBy, limit, ...given } = flags;
  const now = context.io.now();
  const read = (option: string, text?: string) =>
    text === undefined ? undefined : readTime(option, text, now);
  // So that a chart of 30d has 30 whole days.
  const span = since ?? (until === undefined ? '30d' : '');
  const window = defined({
    groupBy,
    since: firstBucket(span, now, groupBy, timezone) ?? read('--since', since),
    until: read('--until', until),
    ...{ timezone, limit },
  }) as ClicksQuery;
  const client = await context.client();
  const filters = defined(given);
  const { link: urlId, ...query } = await withIds(filters);
  const sent: OverviewQuery & ScansQuery = { ...query, ...defined({ urlId }) };
  // The heading of the report has the user's words.
  const texts = Object.entries(filters).map(([name, value]) => [name, textsOf(value)]);
  const shown = Object.fromEntries(texts) as ReportFilters;
  return { client, query: { ...window, ...sent }, groupBy, filters: shown, ...context.request };
}

function textsOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(textsOf);
  return value instanceof Named ? value.text : value;
}
