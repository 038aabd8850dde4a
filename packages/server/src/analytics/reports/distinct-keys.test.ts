import { expect, test } from 'vitest';
import { DistinctKeys } from './distinct-keys.js';

// The model of reports compares the counts of few visitors.
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
  const distinct = new DistinctKeys(5);
  distinct.reserve(visits.length);
  for (let from = 0; from < visits.length; from += 2048) {
    const some = visits.slice(from, from + 2048);
    distinct.add(
      Int32Array.from(some.flatMap(({ high, low }) => [high, low])),
      Uint16Array.from(some, ({ bucket }) => bucket),
    );
  }
  const keysOf = (some: typeof visits) => new Set(some.map(({ high, low }) => `${high} ${low}`));
  const { total, inBuckets } = distinct.finish();
  expect(total).toBe(keysOf(visits).size);
  for (const [at, count] of [...inBuckets].entries()) {
    expect(count).toBe(keysOf(visits.filter(({ bucket }) => bucket === at)).size);
  }
});
