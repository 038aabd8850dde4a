import type { GroupBy, ReportFilters } from '@shorty/report';
import type { ClicksQuery, OverviewQuery, ScansQuery } from '@shorty/sdk';
import { UsageError } from '../cli-error.js';
import { defined, type OptionRows, parsePositive, repeatable } from '../command.js';
import type { Context } from '../context.js';
import { kebabCase } from '../field-options.js';
import { findDomainId } from '../find-domain.js';
import { findLinkId } from '../find-link.js';
import type { ReportRequest } from './fetch-report.js';
import { firstDay, firstHour, parseTimeZone, periodOf, readTime } from './parse-time.js';
import { linkFilters, type ReportFilter, scanFilters, visitFilters } from './report-filters.js';

// Each is an option and a query parameter.
const allFilters = { ...visitFilters, ...scanFilters, ...linkFilters };
const sentFilters = Object.keys(allFilters) as readonly (keyof typeof allFilters)[];

/** The options of commands that print clicks. */
export interface WindowFlags extends Pick<OverviewQuery & ScansQuery, keyof typeof allFilters> {
  readonly link?: readonly string[];
  readonly since?: string;
  readonly until?: string;
  readonly timezone?: string;
  readonly groupBy: GroupBy;
  readonly limit?: number;
}

/** The options of commands that print a report on a terminal. */
export interface ReportFlags extends WindowFlags {
  /** Seconds between two requests. */
  readonly watch?: number;
}

const maxLimit = 50;

export const windowHelp = `A time is a timestamp with a time zone (2030-11-01T00:00:00Z), a date
(2030-11-01: its start), a duration before now (24h, 7d, 12w), or the start of
today, yesterday, this-week, last-week, this-month or last-month. Without
--until, --since yesterday, last-week and last-month are the whole period.
Weeks begin on Monday. Dates and periods are in UTC, or in --timezone.`;

export const reportHelp = `${windowHelp}
In a report, 7d are whole days: today and the six before it. With --group-by
hour, 24h are whole hours.`;

const windowOptions: OptionRows = {
  '--since <time>': 'start of the window (default: 30 days ago)',
  '--until <time>': 'end of the window (default: now)',
};

/** The options of a window, for reports without lists. */
export const spanOptions: OptionRows = {
  ...windowOptions,
  '--group-by <span>': { text: 'length of a bucket', choices: ['hour', 'day'], default: 'day' },
};

export const watchOption: OptionRows = {
  '--watch [seconds]': {
    text: 'show the report until Ctrl-C, and update it',
    parse: parseInterval,
    preset: '5',
  },
};

const linkOption: OptionRows = {
  '--link <link>': repeatable('only this link: id, short URL, slug or code'),
};

/** Returns the options of a report on the clicks of a link, on all links, or on scans. */
export function reportOptions(kind: 'link' | 'links' | 'scans'): OptionRows {
  return {
    ...spanOptions,
    '--limit <count>': { text: 'entries per list, 1 to 50 (default: 10)', parse: parsePositive },
    '--timezone <name>': {
      text: 'time zone of dates and buckets, such as Europe/Berlin (default: UTC)',
      parse: parseTimeZone,
    },
    ...filterOptions(visitFilters),
    ...(kind === 'links' ? { ...filterOptions(linkFilters), ...linkOption } : {}),
    ...(kind === 'scans' ? filterOptions(scanFilters) : {}),
    ...watchOption,
  };
}

/** The options of an export of visits. */
export const visitOptions: OptionRows = {
  ...windowOptions,
  '--timezone <name>': {
    text: 'time zone of dates, such as Europe/Berlin (default: UTC)',
    parse: parseTimeZone,
  },
  ...filterOptions(allFilters),
  ...linkOption,
};

function filterOptions(filters: Readonly<Record<string, ReportFilter>>): OptionRows {
  return Object.fromEntries(
    Object.entries(filters).map(([name, { value, description }]) => [
      `--${kebabCase(name)} <${value}>`,
      repeatable(description),
    ]),
  );
}

/** Returns a function that creates the request. Durations before now are read at each call. */
export async function createReportRequest(
  context: Context,
  flags: WindowFlags,
): Promise<() => ReportRequest<ClicksQuery & OverviewQuery & ScansQuery>> {
  const { io, request } = context;
  const { signal } = request;
  const read = () => readWindow(flags, io.now());
  // Validates the flags before the settings.
  read();
  const client = await context.client();
  const { link } = flags;
  const urlId = link && (await Promise.all(link.map((each) => findLinkId(client, each, request))));
  const typed = defined(Object.fromEntries(sentFilters.map((name) => [name, flags[name]])));
  const domains = flags.domainId === undefined ? undefined : [flags.domainId].flat();
  const domainId =
    domains && (await Promise.all(domains.map((each) => findDomainId(client, each, request))));
  const query = { ...typed, ...defined({ urlId, domainId }) };
  const filters = { ...typed, ...defined({ link }) } as ReportFilters;
  const { groupBy } = flags;
  return () => ({ client, query: { ...read(), ...query }, groupBy, filters, signal });
}

function parseInterval(text: string): number {
  const seconds = parsePositive(text);
  if (seconds <= 3_600) return seconds;
  throw new UsageError(`--watch ${text}: at most 3600 seconds`);
}

/** Returns the query for the server. `now` is in milliseconds since the epoch. */
function readWindow(flags: WindowFlags, now: number): ClicksQuery {
  const { groupBy, limit, timezone } = flags;
  const time = (name: 'since' | 'until') =>
    flags[name] === undefined ? undefined : readTime(`--${name}`, flags[name], now, timezone);
  // So that a chart of 30d has 30 whole days.
  const span = flags.since ?? (flags.until === undefined ? '30d' : '');
  const first = groupBy === 'day' ? firstDay(span, now, timezone) : firstHour(span, now);
  const since = first ?? time('since');
  const until = time('until') ?? periodOf(flags.since ?? '', now, timezone)?.until;
  // The server compares dates of a time zone.
  if (since !== undefined && timezone === undefined) {
    if (Date.parse(since) >= (until === undefined ? now : Date.parse(until))) {
      throw new UsageError(
        `--since ${flags.since} must be before ${until === undefined ? 'now' : `--until ${flags.until}`}`,
      );
    }
  }
  if (limit !== undefined && limit > maxLimit) {
    throw new UsageError(`--limit ${limit}: at most ${maxLimit}`);
  }
  return defined({ groupBy, since, until, timezone, limit }) as ClicksQuery;
}
