import fc from 'fast-check';
import { expect, test } from 'vitest';
import { wholeDays } from '../../cli/test/click-fixtures.js';
import { findPeak, toBars } from './bars.js';

test.each([
  ['hour', 100, 72, 2],
  ['hour', 2000, 72, 168],
  ['day', 730, 72, 14],
] as const)('%s: %d in %d columns, %d a bar', (groupBy, count, maxBars, size) => {
  expect(toBars(wholeDays(Array<number>(count).fill(1)), groupBy, maxBars)[0]?.buckets).toBe(size);
});

test('the peak is the first maximum', () => {
  expect(findPeak(toBars(wholeDays([1, 4, 4]), 'day', 9))?.since).toBe('2030-11-02T00:00:00.000Z');
  expect(findPeak(toBars(wholeDays([0, 0]), 'day', 9))).toBeUndefined();
  expect(findPeak([])).toBeUndefined();
});

test('bars contain all clicks and stay within the limit', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(1000)), fc.integer({ min: 1, max: 50 }), (counts, maxBars) => {
      const bars = toBars(wholeDays(counts), 'day', maxBars);
      expect(bars.length).toBeLessThanOrEqual(maxBars);
      expect(bars.reduce((sum, { clicks }) => sum + clicks, 0)).toBe(
        counts.reduce((sum, clicks) => sum + clicks, 0),
      );
    }),
  );
});
