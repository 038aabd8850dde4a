import { dayMs, hourMs } from '../../durations.js';
import { formatInstant, type OffsetAt, type OffsetSpan, offsetSpans } from './time-zone.js';

/** A time series: consecutive buckets, the hours or the days of a time zone. */
export interface TimeBuckets {
  readonly count: number;
  /** The start of each bucket. The first may begin before the series. */
  readonly starts: Float64Array;
  /** The start of each bucket as text, with the offset of the time zone. */
  readonly names: readonly string[];
  /** Returns the bucket that contains an instant; the first or the last one for others. */
  readonly indexOf: (at: number) => number;
}

export type BucketUnit = 'hour' | 'day';

export const bucketMs: Readonly<Record<BucketUnit, number>> = { hour: hourMs, day: dayMs };

/**
 * Returns the buckets from the one that contains `from` up to `until`. A day begins when the clocks
 * first show its date, so it has 23 or 25 hours when clocks change, and begins at 01:00 if they skip
 * midnight. An hour that clocks repeat is two buckets. A change by part of an hour makes one bucket
 * shorter or longer. Clocks that go back within an hour show the end of the hour before once more,
 * which belongs to the bucket of the change.
 */
export function timeBuckets(
  offsetAt: OffsetAt,
  unit: BucketUnit,
  from: number,
  until: number,
): TimeBuckets {
  const lengthMs = bucketMs[unit];
  const found: { at: number; name: string }[] = [];
  // A day may be longer than 24 hours, so the table begins before the one that contains `from`.
  const spans = from < until ? offsetSpans(offsetAt, from - 2 * dayMs, until) : [];
  let last = Number.NEGATIVE_INFINITY;
  for (const span of spans) {
    for (const at of candidatesIn(span, lengthMs)) {
      const wallTime = at + span.offset;
      const value = Math.floor(wallTime / lengthMs);
      const isRepeatedHour = unit === 'hour' && wallTime % lengthMs === 0;
      if (value <= last && !isRepeatedHour) continue;
      last = value;
      if (at <= from) found.length = 0;
      found.push({ at, name: formatInstant(at, span.offset) });
    }
  }
  const starts = Float64Array.from(found, ({ at }) => at);
  const count = starts.length;
  const firstAt = starts[0] ?? from;
  return {
    count,
    starts,
    names: found.map(({ name }) => name),
    indexOf(at) {
      let index = Math.max(0, Math.min(count - 1, Math.floor((at - firstAt) / lengthMs)));
      // Correct at once, except after a change of the clocks.
      while (index > 0 && (starts[index] as number) > at) index -= 1;
      while (index < count - 1 && (starts[index + 1] as number) <= at) index += 1;
      return index;
    },
  };
}

/** Returns the instants at which a bucket may begin: the start of the span, and full hours or days. */
function* candidatesIn({ from, until, offset }: OffsetSpan, lengthMs: number): Generator<number> {
  yield from;
  const first = Math.floor((from + offset) / lengthMs) * lengthMs + lengthMs - offset;
  for (let at = first; at < until; at += lengthMs) yield at;
}
