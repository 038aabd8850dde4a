import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ValueCounts } from './value-counts.js';

const maxValues = 8;

/** Counts values in as many passes as necessary. */
function count(values: readonly number[], max: number): ValueCounts<number> {
  const counts = new ValueCounts<number>(max);
  do {
    for (const value of values) counts.add(value, 1);
  } while (counts.startSecondPass());
  return counts;
}

function countInMap(values: readonly number[]): Map<number, number> {
  const counts = new Map<number, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return counts;
}

const values = fc.array(fc.oneof(fc.nat({ max: 3 }), fc.nat({ max: 500 })), { maxLength: 400 });

test('beyond the limit, no frequent value is missing, and each count is exact', () => {
  fc.assert(
    fc.property(values, (all) => {
      const expected = countInMap(all);
      const found = new Map(count(all, maxValues).largest(maxValues));
      expect(found.size).toBeLessThanOrEqual(maxValues);
      for (const [value, times] of found) expect(times).toBe(expected.get(value));
      for (const [value, times] of expected) {
        if (times > (2 * all.length) / maxValues) expect(found.has(value)).toBe(true);
      }
    }),
  );
});

test('the proven scans of each remaining value are exact', () => {
  fc.assert(
    fc.property(values, (all) => {
      const counts = new ValueCounts<number>(maxValues);
      do {
        for (const value of all) counts.add(value, 1, value % 3 === 0 ? 1 : 0);
      } while (counts.startSecondPass());
      for (const [value, times] of counts.largest(maxValues)) {
        expect(counts.provenOf(value)).toBe(value % 3 === 0 ? times : 0);
      }
    }),
  );
});
