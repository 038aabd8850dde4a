import type { GroupBy } from './clicks-contract.js';

/** Instants in milliseconds since 1970. */
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

/** The window of all instants from 1970 on that a `Date` can hold. */
export const always: Window = { since: 0, until: 8_000_000 * dayMs };

const bucketMs: Record<GroupBy, number> = { hour: hourMs, day: dayMs };

/** The most buckets in one report. */
export const maxBuckets = 10_000;

/** The time series of a window: consecutive buckets in UTC. The first may begin before the window. */
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

/** Returns the window's fields in a response. */
export function toWindowFields({ since, until }: Window): { since: string; until: string } {
  return { since: new Date(since).toISOString(), until: new Date(until).toISOString() };
}
