import { shorten, validationError } from '../../contract/api-error.js';
import { parseInstant } from '../../contract/parse-instant.js';
import { dayMs } from '../../durations.js';
import type { WindowInput } from './report-contract.js';
import { type BucketUnit, bucketMs, type TimeBuckets, timeBuckets } from './time-buckets.js';
import {
  findOffsets,
  formatInstant,
  instantOf,
  type OffsetAt,
  timezoneRule,
  utc,
} from './time-zone.js';
import type { Condition } from './visit-filter.js';

/** A time range, in milliseconds since 1970. */
export interface Window {
  readonly since: number;
  /** The first instant after the window. */
  readonly until: number;
}

export interface ReportWindow extends Window {
  readonly groupBy: BucketUnit;
  /** The IANA time zone of the buckets. Default: UTC. */
  readonly timezone?: string | undefined;
  /** The creation of the record, before which the time series of a long window does not begin. */
  readonly seriesFrom?: number | undefined;
  readonly conditions?: readonly Condition[];
}

export interface ReportQuery extends ReportWindow {
  readonly limit: number;
}

const defaultLengthMs = 30 * dayMs;
const maxBuckets = 10_000;
/** The longest time series that includes the time before the creation of the record. */
const maxWholeWindow = 1_000;

/** Returns the time series of a window. Its time zone must exist. */
export function bucketsOf(window: ReportWindow): TimeBuckets {
  const { groupBy, until } = window;
  return timeBuckets(offsetsOf(window), groupBy, startOfSeries(window), until);
}

function startOfSeries({ since, seriesFrom = since }: ReportWindow): number {
  return Math.max(since, seriesFrom);
}

/**
 * Fills in the defaults of a query for a record that was created at `createdAt`. Throws
 * VALIDATION_FAILED when the time zone does not exist, or the window is empty or has too many buckets.
 */
export function parseReportQuery<Query extends WindowInput>(
  query: Query,
  now: number,
  createdAt: number,
): Omit<Query, keyof ReportWindow> & ReportWindow {
  const { groupBy, timezone } = query;
  const offsetAt = findOffsets(timezone ?? utc);
  if (offsetAt === undefined) {
    const message = `is ${JSON.stringify(shorten(timezone ?? ''))}: ${timezoneRule}`;
    throw validationError([{ path: 'timezone', message }]);
  }
  const since = readTime('since', query.since, offsetAt) ?? now - defaultLengthMs;
  const until = readTime('until', query.until, offsetAt) ?? now;
  if (since >= until) {
    const fields = toWindowFields({ since, until, timezone });
    throw invalidSince(
      `must lie before until: it is ${fields.since}, and until is ${fields.until}`,
    );
  }
  // The series of two records over one window are equally long, unless they would be very long.
  const isWhole = (until - since) / bucketMs[groupBy] <= maxWholeWindow;
  const seriesFrom = isWhole ? undefined : createdAt;
  const window = { since, until, groupBy, timezone, seriesFrom };
  const count = Math.ceil((until - startOfSeries(window)) / bucketMs[groupBy]);
  if (count > maxBuckets) {
    throw invalidSince(
      `makes ${count} buckets of one ${groupBy}: a report has at most ${maxBuckets}`,
    );
  }
  return { ...query, ...window };
}

/** Reads a time of a query. Without an offset, it is in the time zone of the query. */
function readTime(
  path: 'since' | 'until',
  text: string | undefined,
  offsetAt: OffsetAt,
): number | undefined {
  if (text === undefined) return undefined;
  const at = parseInstant(text, (wallTime) => instantOf(offsetAt, wallTime));
  if (at !== undefined) return at;
  const message = `is ${JSON.stringify(text)}: it must lie in the years 0 to 9999 in UTC`;
  throw validationError([{ path, message }]);
}

function invalidSince(message: string) {
  return validationError([{ path: 'since', message }]);
}

function offsetsOf({ timezone = utc }: { readonly timezone?: string | undefined }): OffsetAt {
  const offsetAt = findOffsets(timezone);
  if (!offsetAt) throw new RangeError(`${timezone}: unknown time zone`);
  return offsetAt;
}

/** Returns the window as text, with the offset of its time zone. */
export function toWindowFields(window: Window & { readonly timezone?: string | undefined }) {
  const { since, until } = window;
  const offsetAt = offsetsOf(window);
  return {
    since: formatInstant(since, offsetAt(since)),
    until: formatInstant(until, offsetAt(until)),
  };
}
