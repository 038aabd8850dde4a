import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { dayMs } from '../../durations.js';
import { timeBuckets } from './time-buckets.js';
import { findOffsets, type OffsetAt, utc } from './time-zone.js';

function offsetsOf(timezone: string): OffsetAt {
  const offsetAt = findOffsets(timezone);
  if (!offsetAt) throw new Error(`${timezone}: unknown time zone`);
  return offsetAt;
}

const timezone = fc.constantFrom(utc, ...Intl.supportedValuesOf('timeZone'));
const instant = fc.integer({ min: Date.UTC(1970, 0, 3), max: Date.UTC(2037, 0, 1) });

/** The date on the clocks, by formatting the instant. */
function dateFormat(timeZone: string): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat('sv-SE', {
    timeZone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
  });
}

describe('any time zone', () => {
  it('has consecutive days that begin when clocks first show their date', () => {
    fc.assert(
      fc.property(timezone, instant, (zone, from) => {
        const format = dateFormat(zone);
        const dateAt = (at: number) => format.format(at).slice(0, 10);
        const { starts, indexOf, count } = timeBuckets(
          offsetsOf(zone),
          'day',
          from,
          from + 40 * dayMs,
        );
        expect(starts[0] as number).toBeLessThanOrEqual(from);
        let last = '';
        for (const [index, start] of starts.entries()) {
          const date = dateAt(start);
          expect(date > last).toBe(true);
          expect(dateAt(start - 1) < date).toBe(true);
          last = date;
          expect(indexOf(start)).toBe(index);
          if (index > 0) expect(indexOf(start - 1)).toBe(index - 1);
        }
        expect(indexOf(from + 40 * dayMs - 1)).toBe(count - 1);
      }),
    );
  });

  it('has hours that begin with a full hour, or when clocks change', () => {
    fc.assert(
      fc.property(timezone, instant, (zone, from) => {
        const format = dateFormat(zone);
        const offsetAt = offsetsOf(zone);
        const { starts, indexOf } = timeBuckets(offsetAt, 'hour', from, from + 9 * dayMs);
        const hourAt = (at: number) => format.format(at).slice(0, 13);
        for (const [index, start] of starts.entries()) {
          const isFullHour = format.format(start).endsWith(':00:00');
          expect(isFullHour || hourAt(start) > hourAt(start - 1)).toBe(true);
          expect(indexOf(start)).toBe(index);
          const next = starts[index + 1];
          if (next === undefined) continue;
          // Clocks that go back show the end of the hour before once more.
          const goBack = offsetAt(next - 1) < offsetAt(start);
          if (goBack) expect(hourAt(next - 1) <= hourAt(start)).toBe(true);
          else expect(hourAt(next - 1)).toBe(hourAt(start));
        }
      }),
    );
  });
});
