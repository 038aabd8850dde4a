import fc from 'fast-check';
import { expect, test } from 'vitest';
import { UrlVisits } from './url-visits.js';

const urlId = fc.oneof(fc.integer({ min: 1, max: 20_000 }), fc.maxSafeNat());

test('counts the same as a map', () => {
  fc.assert(
    fc.property(fc.array(fc.array(urlId)), fc.nat({ max: 20 }), (rows, limit) => {
      const expected = new Map<number, number>();
      for (const each of rows.flat()) expected.set(each, (expected.get(each) ?? 0) + 1);
      const counts = new UrlVisits();
      for (const row of rows) counts.add(Float64Array.from(row));
      const sorted = [...expected].sort(([a, one], [b, other]) => other - one || a - b);
      expect(counts.largest(limit)).toEqual(sorted.slice(0, limit));
    }),
  );
});
