import fc from 'fast-check';
import { expect, test } from 'vitest';
import { wholeDays } from '../../cli/test/click-fixtures.js';
import { describeBar, findPeak, toBars } from './bars.js';

test('each bucket has a bar if the width allows', () => {
  const bars = toBars(wholeDays([5, 0, 9]), 'day', 3);
  expect(bars.map(({ clicks, uniques }) => [clicks, uniques])).toEqual([
    [5, 3],
    [0, 0],
    [9, 6],
  ]);
  expect(bars.map((bar) => describeBar(bar, 'day'))).toEqual([
    '2030-11-01',
    '2030-11-02',
    '2030-11-03',
  ]);
});

test('merged buckets have no unique visitors', () => {
  const bars = toBars(wholeDays([1, 2, 3, 4, 5]), 'day', 3);
  expect(bars.map(({ clicks, uniques }) => [clicks, uniques])).toEqual([
    [3, undefined],
    [7, undefined],
    [5, 3],
  ]);
  expect(bars.map((bar) => describeBar(bar, 'day'))[1]).toBe('2 days from 2030-11-03');
});

test.each([
  ['hour', 100, 72, 2],
  ['hour', 720, 72, 12],
  ['hour', 2000, 72, 168],
  ['day', 365, 72, 6],
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
