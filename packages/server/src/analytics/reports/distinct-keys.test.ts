import fc from 'fast-check';
import { expect, test } from 'vitest';
import { DistinctKeys } from './distinct-keys.js';
import { Int32Pool } from './int32-pool.js';

const half = fc.oneof(fc.integer({ min: -3, max: 3 }), fc.integer());
const visit = fc.record({ high: half, low: half, bucket: fc.nat({ max: 4 }) });
type Visit = { readonly high: number; readonly low: number; readonly bucket: number };

function count(visits: readonly Visit[], perAdd: number, pool = new Int32Pool()) {
  const distinct = new DistinctKeys(pool);
  for (let from = 0; from < visits.length; from += perAdd) {
    const some = visits.slice(from, from + perAdd);
    distinct.add(
      Int32Array.from(some.flatMap(({ high, low }) => [high, low])),
      Uint32Array.from(some, (_, index) => index),
      Int32Array.from(some, ({ bucket }) => bucket),
    );
  }
  const { total, inBuckets } = distinct.finish(5);
  return { total, inBuckets: [...inBuckets] };
}

function countBySets(visits: readonly Visit[]) {
  const keyed = visits.filter(({ high, low }) => high !== 0 || low !== 0);
  const keys = (some: readonly Visit[]) => new Set(some.map(({ high, low }) => `${high} ${low}`));
  return {
    total: keys(keyed).size,
    inBuckets: [0, 1, 2, 3, 4].map(
      (wanted) => keys(keyed.filter(({ bucket }) => bucket === wanted)).size,
    ),
  };
}

test('counts the same as sets, in all and in each bucket', () => {
  fc.assert(
    fc.property(
      fc.array(visit, { maxLength: 300 }),
      fc.integer({ min: 1, max: 90 }),
      (visits, n) => {
        expect(count(visits, n)).toEqual(countBySets(visits));
      },
    ),
  );
});

test('counts the same as sets when the keys are partitioned', () => {
  // Every third visitor returns, some of them in another bucket.
  const visits = Array.from({ length: 50_000 }, (_, index) => {
    const visitor = index % 3 === 0 ? index >> 4 : index;
    return {
      high: Math.imul(visitor, 0x9e3779b1),
      low: Math.imul(visitor, 0x85ebca6b) ^ 7,
      bucket: index % 5,
    };
  });
  expect(count(visits, 2048)).toEqual(countBySets(visits));
});

test('distinguishes keys that differ in one half', () => {
  const visits = [
    { high: 1, low: 2, bucket: 0 },
    { high: 1, low: 3, bucket: 0 },
    { high: 2, low: 2, bucket: 0 },
    { high: 0, low: 2, bucket: 0 },
    { high: 1, low: 0, bucket: 0 },
  ];
  expect(count(visits, 5).total).toBe(5);
});

test('ignores the content of reused memory', () => {
  const pool = new Int32Pool();
  const visits = Array.from({ length: 5000 }, (_, key) => ({
    high: key + 1,
    low: key + 1,
    bucket: 0,
  }));
  const first = count(visits, 700, pool);
  expect(count(visits, 700, pool)).toEqual(first);
  expect(count([], 1, pool)).toEqual({ total: 0, inBuckets: [0, 0, 0, 0, 0] });
});

test('counts keys that are not in a set, and makes a set of keys', () => {
  fc.assert(
    fc.property(
      fc.array(visit, { maxLength: 200 }),
      fc.array(visit, { maxLength: 200 }),
      fc.constantFrom(1, 5, 40),
      (before, visits, buckets) => {
        const pool = new Int32Pool();
        const add = (some: readonly Visit[]) => {
          const distinct = new DistinctKeys(pool);
          distinct.add(
            Int32Array.from(some.flatMap(({ high, low }) => [high, low])),
            Uint32Array.from(some, (_, index) => index),
            Int32Array.from(some, ({ bucket }) => (buckets === 1 ? 0 : bucket)),
          );
          return distinct;
        };
        const first = add(before);
        const ofBucket = add([]);
        ofBucket.addAll(first.keysOf(0), 0);
        const { keys, total, inBuckets: firstInBuckets } = first.finishAsSet(buckets);
        if (buckets > 1) {
          expect([...firstInBuckets.subarray(0, 5)]).toEqual(countBySets(before).inBuckets);
        }
        expect([total, keys.size]).toEqual(Array(2).fill(countBySets(before).total));
        const inFirst = before.filter(({ bucket }) => buckets === 1 || bucket === 0);
        expect(ofBucket.finish().total).toBe(countBySets(inFirst).total);
        const second = add(visits);
        const counted = second.finish(buckets, keys);
        expect(counted.total + keys.size).toBe(countBySets([...before, ...visits]).total);
        const { inBuckets } = countBySets(visits);
        if (buckets > 1) expect([...counted.inBuckets.subarray(0, 5)]).toEqual(inBuckets);
        for (const each of [first, ofBucket, second, keys]) each.release();
        expect(pool.usedBytes).toBe(0);
      },
    ),
  );
});
