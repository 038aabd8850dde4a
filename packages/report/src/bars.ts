import { formatInstant } from './format.js';
import type { Bucket, GroupBy } from './report-model.js';

/** A bar of a chart. It merges several buckets when there are more buckets than bars. */
export interface Bar {
  /** An instant, as the API sent it. */
  readonly since: string;
  readonly clicks: number;
  /** Undefined for several buckets, because one visitor can be in each of them. */
  readonly uniques: number | undefined;
  /** The number of merged buckets. */
  readonly buckets: number;
  /** Whether it counts less time than the other bars. */
  readonly isPartial: boolean;
}

/** Converts a series to at most `maxBars` bars. Merges adjacent buckets if necessary. */
export function toBars(series: readonly Bucket[], groupBy: GroupBy, maxBars: number): Bar[] {
  const size = groupSize(Math.max(1, Math.ceil(series.length / maxBars)), groupBy);
  const bars: Bar[] = [];
  for (let start = 0; start < series.length; start += size) {
    const group = series.slice(start, start + size);
    const [first] = group;
    if (!first) break;
    bars.push({
      since: first.bucket,
      clicks: group.reduce((sum, { clicks }) => sum + clicks, 0),
      uniques: group.length === 1 ? first.uniques : undefined,
      buckets: group.length,
      isPartial: group.length < size || group.some(({ isPartial }) => isPartial),
    });
  }
  return bars;
}

// Divisors of a day, then whole days and weeks, so that daily patterns stay visible.
const wholeSteps = {
  hour: [1, 2, 3, 4, 6, 8, 12, 24, 168],
  day: [1, 2, 3, 4, 5, 6, 7],
} as const;

function groupSize(least: number, groupBy: GroupBy): number {
  const steps = wholeSteps[groupBy];
  const week = steps.at(-1) ?? 1;
  return steps.find((step) => step >= least) ?? Math.ceil(least / week) * week;
}

/** Returns the first bar with the most clicks; undefined without clicks. */
export function findPeak(bars: readonly Bar[]): Bar | undefined {
  const [peak] = bars.toSorted((a, b) => b.clicks - a.clicks);
  return peak && peak.clicks > 0 ? peak : undefined;
}

/** `2030-11-01`, or with hours `2030-11-01 14:00 UTC`. */
export function describeBar({ since, buckets, isPartial }: Bar, groupBy: GroupBy): string {
  const start = describeBucket(since, groupBy);
  const whole = buckets === 1 ? start : `${buckets} ${groupBy}s from ${start}`;
  return isPartial ? `${whole} (partial)` : whole;
}

export function describeBucket(start: string, groupBy: GroupBy): string {
  const instant = formatInstant(start);
  return groupBy === 'hour' ? instant : instant.slice(0, 10);
}
