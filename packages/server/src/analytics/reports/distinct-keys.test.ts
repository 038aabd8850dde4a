import fc from 'fast-check';
import { expect, test } from 'vitest';
import { DistinctKeys } from './distinct-keys.js';

const half = fc.oneof(fc.integer({ min: -3, max: 3 }), fc.integer());
const visit = fc.record({ high: half, low: half, bucket: fc.nat({ max: 4 }) });
type Visit = { readonly high: number; readonly low: number; readonly bucket: number };

function count(visits: readonly Visit[], perAdd: number) {
  const distinct = new DistinctKeys(5);
  distinct.reserve(visits.length);
  for (let from = 0; from < visits.length; from += perAdd) {
    const some = visits.slice(from, from + perAdd);
    distinct.add(
      Int32Array.from(some.flatMap(({ high, low }) => [high, low])),
      Uint16Array.from(some, ({ bucket }) => bucket),
    );
  }
  const { total, inBuckets } = distinct.finish();
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
