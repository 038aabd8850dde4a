import type { ClicksQuery } from '@shorty/sdk';
import { type Command, Option } from 'commander';
import type { ReportRequest } from '../../analytics/fetch-report.js';
import { readTime } from '../../analytics/parse-time.js';
import type { GroupBy } from '../../analytics/report-model.js';
import { UsageError } from '../../cli-error.js';
import type { Context } from '../../context.js';
import { parsePositive } from '../urls/link-options.js';

/** The options of commands that print clicks. */
export interface WindowFlags {
  readonly since?: string;
  readonly until?: string;
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
(2030-11-01: its start in UTC), or a duration before now (24h, 7d, 12w).`;

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

export function addReportOptions(command: Command): Command {
  return addWatchOption(addWindowOptions(command));
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
): Promise<() => ReportRequest> {
  const { io } = context;
  const read = () => readWindow(flags, io.now());
  // Validates the flags before the settings.
  read();
  const client = await context.client();
  return () => ({ client, query: read(), groupBy: flags.groupBy, signal: io.interrupt });
}

function parseInterval(text: string): number {
  const seconds = parsePositive(text);
  if (seconds <= 3_600) return seconds;
  throw new UsageError(`--watch ${text}: at most 3600 seconds`);
}

/** Returns the query for the server. `now` is in milliseconds since the epoch. */
function readWindow(flags: WindowFlags, now: number): ClicksQuery {
  const since = flags.since === undefined ? undefined : readTime('--since', flags.since, now);
  const until = flags.until === undefined ? undefined : readTime('--until', flags.until, now);
  if (since !== undefined && since >= (until ?? now)) {
    throw new UsageError(
      `--since ${flags.since} must be before ${until === undefined ? 'now' : `--until ${flags.until}`}`,
    );
  }
  const { groupBy, limit } = flags;
  if (limit !== undefined && limit > maxLimit) {
    throw new UsageError(`--limit ${limit}: at most ${maxLimit}`);
  }
  return {
    groupBy,
    ...(since === undefined ? {} : { since: new Date(since).toISOString() }),
    ...(until === undefined ? {} : { until: new Date(until).toISOString() }),
    ...(limit === undefined ? {} : { limit }),
  };
}
