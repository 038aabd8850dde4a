import fc from 'fast-check';
import { expect, test } from 'vitest';
import { UrlVisits } from './url-visits.js';

const urlId = fc.oneof(fc.integer({ min: 1, max: 20_000 }), fc.maxSafeNat());
const add = (counts: UrlVisits, urlIds: readonly number[]) =>
  counts.add(Float64Array.from(urlIds), Uint32Array.from(urlIds.keys()));

test.each([0, 2, 1_000])('counts exactly with at most %d pages', (maxPages) => {
  fc.assert(
    fc.property(fc.array(fc.array(urlId)), fc.nat({ max: 20 }), (rows, limit) => {
      const expected = new Map<number, number>();
      for (const each of rows.flat()) expected.set(each, (expected.get(each) ?? 0) + 1);
      const counts = new UrlVisits(maxPages);
      for (const row of rows) add(counts, row);
      expect(counts.startSecondPass()).toBe(false);
      const sorted = [...expected].sort(([a, one], [b, other]) => other - one || a - b);
      expect(counts.largest(limit)).toEqual(sorted.slice(0, limit));
    }),
  );
});

test('finds a frequent URL among too many, in a second pass', () => {
  const counts = new UrlVisits(1, 4);
  const urlIds = Array.from({ length: 2_000 }, (_, at) => [1 + at * 100, 199_801]).flat();
  add(counts, urlIds);
  expect(counts.startSecondPass()).toBe(true);
  add(counts, urlIds);
  expect(counts.startSecondPass()).toBe(false);
  expect(counts.largest(2)).toEqual([
    [199_801, 2_001],
    [1, 1],
  ]);
});
