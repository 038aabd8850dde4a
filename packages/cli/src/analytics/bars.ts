import type { ClickBucket } from '@shorty/sdk';
import { formatInstant } from '../format.js';
import type { GroupBy } from './report-model.js';

/** One bar of a chart: one bucket, or several where there are too many to be seen. */
export interface Bar {
  /** Milliseconds since the epoch. */
  readonly since: number;
  readonly clicks: number;
  /** Unknown for several buckets: a visitor may be in each of them. */
  readonly uniques: number | undefined;
  /** How many buckets it stands for. */
  readonly buckets: number;
}

/** At most `maxBars` bars for a series; neighbours share one where that takes it. */
export function toBars(series: readonly ClickBucket[], groupBy: GroupBy, maxBars: number): Bar[] {
  const size = groupSize(Math.max(1, Math.ceil(series.length / maxBars)), groupBy);
  const bars: Bar[] = [];
  for (let start = 0; start < series.length; start += size) {
    const group = series.slice(start, start + size);
    const [first] = group;
    if (!first) break;
    bars.push({
      since: Date.parse(first.bucket),
      clicks: group.reduce((sum, { clicks }) => sum + clicks, 0),
      uniques: group.length === 1 ? first.uniques : undefined,
      buckets: group.length,
    });
  }
  return bars;
}

// Parts of a day, and then whole days and weeks: other steps would beat against the rhythm of days.
const wholeSteps = {
  hour: [1, 2, 3, 4, 6, 8, 12, 24, 168],
  day: [1, 2, 3, 4, 5, 6, 7],
} as const;

function groupSize(least: number, groupBy: GroupBy): number {
  const steps = wholeSteps[groupBy];
  const week = steps.at(-1) ?? 1;
  return steps.find((step) => step >= least) ?? Math.ceil(least / week) * week;
}

/** The bar with the most clicks, the first of equals; undefined where there is no click. */
export function findPeak(bars: readonly Bar[]): Bar | undefined {
  const peak = bars.reduce<Bar | undefined>(
    (best, bar) => (best === undefined || bar.clicks > best.clicks ? bar : best),
    undefined,
  );
  return peak && peak.clicks > 0 ? peak : undefined;
}

/** `2030-11-01`, or with hours `2030-11-01 14:00 UTC`. */
export function describeBar({ since, buckets }: Bar, groupBy: GroupBy): string {
  const start = describeBucket(since, groupBy);
  return buckets === 1 ? start : `${buckets} ${groupBy}s from ${start}`;
}

export function describeBucket(epochMs: number, groupBy: GroupBy): string {
  const instant = formatInstant(epochMs);
  return groupBy === 'hour' ? instant : instant.slice(0, 10);
}
