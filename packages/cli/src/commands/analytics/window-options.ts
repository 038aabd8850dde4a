import type { GroupBy } from '@shorty/report';
import type { ClicksQuery, OverviewQuery, ScansQuery } from '@shorty/sdk';
import { type Command, Option } from 'commander';
import type { ReportRequest } from '../../analytics/fetch-report.js';
import { periodOf, readTime } from '../../analytics/parse-time.js';
import {
  linkFilters,
  type ReportFilter,
  scanFilters,
  visitFilters,
} from '../../analytics/report-filters.js';
import { UsageError } from '../../cli-error.js';
import { collect } from '../../command.js';
import type { Context } from '../../context.js';
import { findLinkId } from '../../find-link.js';
import { parsePositive } from '../urls/link-options.js';

/** The values of the options that select visits and links. */
interface FilterFlags extends Pick<OverviewQuery & ScansQuery, keyof typeof allFilters> {
  readonly link?: readonly string[];
}

// Each is an option and a query parameter.
const allFilters = { ...visitFilters, ...scanFilters, ...linkFilters };
const sentFilters = Object.keys(allFilters) as readonly (keyof typeof allFilters)[];

/** The options of commands that print clicks. */
export interface WindowFlags extends FilterFlags {
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

export const windowHelp = `
A time is a timestamp with a time zone (2030-11-01T00:00:00Z), a date
(2030-11-01: its start), a duration before now (24h, 7d, 12w), or the start of
today, yesterday, this-week, last-week, this-month or last-month. Without
--until, --since yesterday, last-week and last-month are the whole period.
Weeks begin on Monday. Dates and periods are in UTC, or in --timezone.`;

export function addWindowOptions(command: Command): Command {
  return addSpanOptions(command).addOption(
    new Option('--limit <count>', 'entries per list, 1 to 50 (default: 10)').argParser(
      parsePositive,
    ),
  );
}

/** Adds the options of a window, for reports without lists. */
export function addSpanOptions(command: Command): Command {
  return command
    .option('--since <time>', 'start of the window (default: 30 days ago)')
    .option('--until <time>', 'end of the window (default: now)')
    .addOption(
      new Option('--group-by <span>', 'length of a bucket').choices(['hour', 'day']).default('day'),
    );
}

/** Adds the options of a report on the clicks of a link, on all links, or on scans. */
export function addReportOptions(command: Command, kind: 'link' | 'links' | 'scans'): Command {
  addWindowOptions(command).option(
    '--timezone <name>',
    'time zone of dates and buckets, such as Europe/Berlin (default: UTC)',
  );
  const more = kind === 'links' ? linkFilters : kind === 'scans' ? scanFilters : {};
  addFilters(command, { ...visitFilters, ...more });
  if (kind === 'links') addLinkOption(command);
  return addWatchOption(command);
}

/** Adds the options of an export of visits. */
export function addVisitOptions(command: Command): Command {
  command
    .option('--since <time>', 'start of the window (default: 30 days ago)')
    .option('--until <time>', 'end of the window (default: now)')
    .option('--timezone <name>', 'time zone of dates, such as Europe/Berlin (default: UTC)');
  addFilters(command, { ...visitFilters, ...scanFilters, ...linkFilters });
  return addLinkOption(command);
}

function addFilters(command: Command, filters: Readonly<Record<string, ReportFilter>>): void {
  for (const [name, { value, description }] of Object.entries(filters)) {
    command.option(`--${kebabCase(name)} <${value}>`, `${description}; repeatable`, collect);
  }
}

function addLinkOption(command: Command): Command {
  const description = 'only this link: id, short URL, slug or code; repeatable';
  return command.option('--link <link>', description, collect);
}

export function addWatchOption(command: Command): Command {
  return command.addOption(
    new Option('--watch [seconds]', 'show the report until Ctrl-C, and update it')
      .argParser(parseInterval)
      .preset('5'),
  );
}

/** Returns a function that creates the request. Durations before now are read at each call. */
export async function createReportRequest(
  context: Context,
  flags: WindowFlags,
): Promise<() => ReportRequest<ClicksQuery & OverviewQuery & ScansQuery>> {
  const { io } = context;
  const signal = io.interrupt;
  const read = () => readWindow(flags, io.now());
  // Validates the flags before the settings.
  read();
  const client = await context.client();
  const filters: { urlId?: string[] } & FilterFlags = {};
  for (const name of sentFilters) if (flags[name]) Object.assign(filters, { [name]: flags[name] });
  if (flags.link) {
    filters.urlId = await Promise.all(
      flags.link.map((link) => findLinkId(client, link, { signal })),
    );
  }
  return () => ({ client, query: { ...read(), ...filters }, groupBy: flags.groupBy, signal });
}

function parseInterval(text: string): number {
  const seconds = parsePositive(text);
  if (seconds <= 3_600) return seconds;
  throw new UsageError(`--watch ${text}: at most 3600 seconds`);
}

/** Returns the query for the server. `now` is in milliseconds since the epoch. */
function readWindow(flags: WindowFlags, now: number): ClicksQuery {
  const { groupBy, limit, timezone } = flags;
  const since =
    flags.since === undefined ? undefined : readTime('--since', flags.since, now, timezone);
  const until =
    flags.until === undefined
      ? periodOf(flags.since ?? '', now, timezone)?.until
      : readTime('--until', flags.until, now, timezone);
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
  return {
    groupBy,
    ...(since === undefined ? {} : { since }),
    ...(until === undefined ? {} : { until }),
    ...(timezone === undefined ? {} : { timezone }),
    ...(limit === undefined ? {} : { limit }),
  };
}

/** Returns the name of an option: `--utm-source` for `utmSource`. */
function kebabCase(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
