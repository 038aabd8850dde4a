import fc from 'fast-check';
import { expect, test } from 'vitest';
import { UrlVisits } from './url-visits.js';

const visit = fc.record({
  urlId: fc.oneof(fc.integer({ min: 1, max: 20_000 }), fc.maxSafeNat()),
  visits: fc.integer({ min: 1, max: 3 }),
});

test.each([0, 2, 1_000])('counts exactly with at most %d pages', (maxPages) => {
  fc.assert(
    fc.property(fc.array(visit), fc.nat({ max: 20 }), (all, limit) => {
      const expected = new Map<number, number>();
      for (const { urlId, visits } of all) {
        expected.set(urlId, (expected.get(urlId) ?? 0) + visits);
      }
      const counts = new UrlVisits(maxPages);
      for (const { urlId, visits } of all) counts.add(urlId, visits);
      expect(counts.startSecondPass()).toBe(false);
      const sorted = [...expected].sort(([a, one], [b, other]) => other - one || a - b);
      expect(counts.largest(limit)).toEqual(sorted.slice(0, limit));
    }),
  );
});

test('counts visits one by one as it counts them together', () => {
  const urlIds = fc.array(visit.map(({ urlId }) => urlId));
  fc.assert(
    fc.property(urlIds, fc.nat({ max: 2 }), (all, maxPages) => {
      const [together, each] = [new UrlVisits(maxPages), new UrlVisits(maxPages)];
      for (const urlId of all) together.add(urlId, 1);
      each.addEach(Float64Array.from(all), Uint32Array.from(all.keys()));
      expect(each.largest(20)).toEqual(together.largest(20));
    }),
  );
});

test('finds a frequent URL among too many, in a second pass', () => {
  const counts = new UrlVisits(1, 4);
  const add = () => {
    for (let urlId = 1; urlId <= 200_000; urlId += 100) {
      counts.add(urlId, 1);
      counts.add(199_801, 1);
    }
  };
  add();
  expect(counts.startSecondPass()).toBe(true);
  add();
  expect(counts.startSecondPass()).toBe(false);
  expect(counts.largest(2)).toEqual([
    [199_801, 2_001],
    [1, 1],
  ]);
});
