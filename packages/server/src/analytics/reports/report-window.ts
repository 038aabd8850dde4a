import type { GroupBy } from './clicks-contract.js';

/** What a report is about. Instants are milliseconds since 1970. */
export interface ReportWindow {
  readonly since: number;
  /** Not part of the window. */
  readonly until: number;
  readonly groupBy: GroupBy;
}

export const hourMs = 60 * 60 * 1000;
export const dayMs = 24 * hourMs;

/** A window of all instants that a date can hold from 1970 on. */
export const always = { since: 0, until: 8_000_000 * dayMs };

const bucketMs: Record<GroupBy, number> = { hour: hourMs, day: dayMs };

/** The most buckets that a report may have. */
export const maxBuckets = 10_000;

/** The buckets of a window, in UTC and without a gap: the first begins at or before it. */
export interface Buckets {
  readonly firstAt: number;
  readonly eachMs: number;
  readonly count: number;
}

export function bucketsOf({ since, until, groupBy }: ReportWindow): Buckets {
  const eachMs = bucketMs[groupBy];
  const firstAt = Math.floor(since / eachMs) * eachMs;
  return { firstAt, eachMs, count: Math.ceil((until - firstAt) / eachMs) };
}

/** A window on the wire. */
export function toWindow({ since, until }: Pick<ReportWindow, 'since' | 'until'>) {
  return { since: new Date(since).toISOString(), until: new Date(until).toISOString() };
}
