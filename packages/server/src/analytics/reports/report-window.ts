import { validationError } from '../../contract/api-error.js';
import type { WindowInput } from './report-contract.js';

/** A time range, in milliseconds since 1970. */
export interface Window {
  readonly since: number;
  /** The first instant after the window. */
  readonly until: number;
}

export interface ReportWindow extends Window {
  readonly groupBy: 'hour' | 'day';
  /** The creation of the record, before which the time series does not begin. */
  readonly seriesFrom?: number | undefined;
}

export interface ReportQuery extends ReportWindow {
  /** The maximum number of entries in each breakdown. */
  readonly limit: number;
}

export const hourMs = 60 * 60 * 1000;
export const dayMs = 24 * hourMs;

/** The window from 1970 until after any visit, within the range of `Date`. */
export const allTime: Window = { since: 0, until: 8_000_000 * dayMs };

const bucketMs: Record<ReportWindow['groupBy'], number> = { hour: hourMs, day: dayMs };

const defaultLengthMs = 30 * dayMs;
const maxBuckets = 10_000;

/** Returns the time series of a window: consecutive buckets in UTC. The first may begin before the window. */
export function bucketsOf({ since, until, groupBy, seriesFrom = since }: ReportWindow) {
  const lengthMs = bucketMs[groupBy];
  const firstAt = Math.floor(Math.max(since, seriesFrom) / lengthMs) * lengthMs;
  return { firstAt, lengthMs, count: Math.max(0, Math.ceil((until - firstAt) / lengthMs)) };
}

/**
 * Fills in the defaults of a query for a record that was created at `createdAt`. Throws
 * VALIDATION_FAILED when the window is empty or has too many buckets.
 */
export function parseReportQuery<Query extends WindowInput>(
  query: Query,
  now: number,
  createdAt: number,
): Omit<Query, keyof ReportWindow> & ReportWindow {
  const { groupBy } = query;
  const since = query.since === undefined ? now - defaultLengthMs : Date.parse(query.since);
  const until = query.until === undefined ? now : Date.parse(query.until);
  if (since >= until) {
    const fields = toWindowFields({ since, until });
    throw invalidSince(
      `must lie before until: it is ${fields.since}, and until is ${fields.until}`,
    );
  }
  // Without `since`, the series has all days of the default window.
  const seriesFrom = query.since === undefined ? undefined : createdAt;
  const { count } = bucketsOf({ since, until, groupBy, seriesFrom });
  if (count > maxBuckets) {
    throw invalidSince(
      `makes ${count} buckets of one ${groupBy}: a report has at most ${maxBuckets}`,
    );
  }
  return { ...query, since, until, seriesFrom };
}

function invalidSince(message: string) {
  return validationError([{ path: 'since', message }]);
}

export function toWindowFields({ since, until }: Window): { since: string; until: string } {
  return { since: new Date(since).toISOString(), until: new Date(until).toISOString() };
}
