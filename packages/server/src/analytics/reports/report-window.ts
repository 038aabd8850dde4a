import type { GroupBy } from './clicks-contract.js';

/** A time range, in milliseconds since 1970. */
export interface Window {
  readonly since: number;
  /** The first instant after the window. */
  readonly until: number;
}

export interface ReportWindow extends Window {
  readonly groupBy: GroupBy;
}

export const hourMs = 60 * 60 * 1000;
export const dayMs = 24 * hourMs;

/** The window from 1970 until after any visit, within the range of `Date`. */
export const allTime: Window = { since: 0, until: 8_000_000 * dayMs };

const bucketMs: Record<GroupBy, number> = { hour: hourMs, day: dayMs };

/** The maximum number of buckets in one report. */
export const maxBuckets = 10_000;

/** The time series of a window: consecutive buckets in UTC. The first may begin before the window. */
export interface Buckets {
  readonly firstAt: number;
  readonly lengthMs: number;
  readonly count: number;
}

export function bucketsOf({ since, until, groupBy }: ReportWindow): Buckets {
  const lengthMs = bucketMs[groupBy];
  const firstAt = Math.floor(since / lengthMs) * lengthMs;
  return { firstAt, lengthMs, count: Math.ceil((until - firstAt) / lengthMs) };
}

/** Formats a window for a response. */
export function toWindowFields({ since, until }: Window): { since: string; until: string } {
  return { since: new Date(since).toISOString(), until: new Date(until).toISOString() };
}
