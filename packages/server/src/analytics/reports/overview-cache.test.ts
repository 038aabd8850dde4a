import { expect, test } from 'vitest';
import { Int32Pool } from './int32-pool.js';
import { KeySet } from './key-set.js';
import { hashCodes, OverviewCache } from './overview-cache.js';
import { UrlVisits } from './url-visits.js';

// Two sets of 64 slots.
const entryBytes = 2 * 64 * 12;
const window = { since: 0, until: 1_000 };
const stored = Array.from({ length: 201 }, (_, number) => ({
  number,
  visit_count: 10,
  first_at: number * 4,
  last_at: number * 4 + 3,
}));

function openCache(maxBytes: number) {
  const pool = new Int32Pool();
  const cache = new OverviewCache(pool, { minVisits: 1, minRest: 0, maxBytes });
  /** Caches the counts of all selected chunks, as large as `entryBytes`. */
  const add = (organizationId: string, key: string) => {
    const keys = () => new KeySet(pool, 1);
    const clicks = {
      count: 0,
      starts: new Float64Array(),
      inBuckets: new Float64Array(),
      uniquesInBuckets: new Uint32Array(),
      visitorsAtEnds: new Map(),
      breakdowns: [],
      urls: new UrlVisits(),
      visitors: keys(),
      addresses: keys(),
    };
    const chunks = cache.select(key, window, stored);
    const scans = { total: 0, proven: 0 };
    return cache.add(key, {
      organizationId,
      clicks,
      chunks,
      scans,
      codes: hashCodes(new Map(), 0),
    });
  };
  const has = (key: string, chunks = stored, of = window) => {
    const used = cache.find(key, of, chunks, new Map());
    if (used) cache.release(used);
    return used !== undefined;
  };
  return { pool, cache, add, has };
}

test('caches all chunks but the last one and the first 1/128, and uses them while they are in the window', () => {
  const { cache, add, has } = openCache(10 * entryBytes);
  const used = add('a', 'a');
  expect(used.chunks.map(({ number }) => number)).toEqual(stored.slice(1, -1).map((c) => c.number));
  cache.release(used);
  expect(has('a')).toBe(true);
  expect(has('a', stored, { since: 4, until: 800 })).toBe(true);
  expect(has('a', stored, { since: 5, until: 800 })).toBe(false);
  expect(has('a', stored, { since: 4, until: 799 })).toBe(false);
  expect(has('b')).toBe(false);
  const more = (count: number) => ({
    number: 201,
    visit_count: count,
    first_at: 900,
    last_at: 950,
  });
  expect(has('a', [...stored, more(44)])).toBe(true);
  // More than 1/32 of the visits.
  expect(has('a', [...stored, more(45)])).toBe(false);
  // A chunk that was written again.
  expect(
    has(
      'a',
      stored.map((each) => (each.number === 50 ? { ...each, visit_count: 9 } : each)),
    ),
  ).toBe(false);
  expect(has('a')).toBe(false);
  expect(cache.bytes).toBe(0);
});

test('evicts entries of the organization that has most, the oldest first, but none in use', () => {
  const { pool, cache, add, has } = openCache(3.5 * entryBytes);
  cache.release(add('small', 'small'));
  const [first, ...others] = ['1', '2', '3'].map((key) => add('large', key));
  expect(cache.bytes).toBe(4 * entryBytes);
  for (const each of others) cache.release(each);
  expect([has('small'), has('1'), has('2'), has('3')]).toEqual([true, true, false, true]);
  if (first) cache.release(first);
  expect(cache.bytes).toBe(3 * entryBytes);
  expect(pool.usedBytes).toBeGreaterThan(0);
});

test('does not count again what is too large for it', () => {
  const { cache, add, has } = openCache(entryBytes - 1);
  cache.release(add('a', 'a'));
  expect([cache.bytes, has('a'), cache.select('a', window, stored)]).toEqual([0, false, []]);
  expect(cache.select('b', window, stored)).not.toEqual([]);
});

test('finds counts that have most of the chunks, unless other QR codes decide', () => {
  const { cache, add } = openCache(10 * entryBytes);
  const used = add('a', 'a');
  const codes = new Map([
    [1, { urlId: 1, hasSlug: true, spans: [{ qrId: 'qr', from: 400, until: null }] }],
  ]);
  const isFound = (chunks: typeof stored, scannedUrls: typeof codes = new Map()) => {
    const found = cache.findSimilar('a', chunks, scannedUrls);
    if (found) cache.release(found);
    return found !== undefined;
  };
  // Of 199 chunks, 66 are removed, and none is added.
  expect(isFound(stored.slice(67, -1))).toBe(true);
  expect(isFound(stored.slice(68, -1))).toBe(false);
  expect(isFound(stored.slice(67, -1), codes)).toBe(false);
  cache.release(used);
});
