import { DistinctKeys } from './distinct-keys.js';
import type { Int32Pool } from './int32-pool.js';
import type { KeySet } from './key-set.js';
import type { UrlVisits } from './url-visits.js';
import type { ValueCounts } from './value-counts.js';

/** The exact counts of clicks, to which a tally adds further ones. */
export interface CountedClicks {
  readonly count: number;
  /** The buckets of the time series, by their starts. */
  readonly starts: Float64Array;
  readonly inBuckets: Float64Array;
  readonly uniquesInBuckets: Uint32Array;
  /** The visitor of each click of the first and of the last bucket, in which further clicks are likely. */
  readonly visitorsAtEnds: ReadonlyMap<number, Int32Array>;
  /** The values of each breakdown, in the order of the dimensions. */
  readonly breakdowns: readonly ValueCounts<string>[];
  readonly urls: UrlVisits;
  readonly visitors: KeySet;
  readonly addresses: KeySet;
}

/** Clicks that are added to counts, or removed from them. */
export interface ClickChange extends Omit<CountedClicks, 'visitors' | 'addresses'> {
  readonly visitors: DistinctKeys;
  readonly addresses: DistinctKeys;
}

/** The visitors of some buckets, which were read again. */
export interface BucketVisitors {
  /** The number of distinct visitors of each bucket. */
  readonly uniques: Uint32Array;
  /** Returns the visitor of each click of a bucket. */
  keysOf(bucket: number): Int32Array;
}

/** Returns the visitors of these buckets, which are indexes of the starts of the added clicks. */
type ReadBuckets = (buckets: readonly number[]) => Promise<BucketVisitors>;

// An entry of a map, with the header of its text.
const bytesOfEntry = 80;

/** Returns the approximate size in memory. */
export function bytesOfClicks(clicks: CountedClicks): number {
  let bytes = clicks.visitors.bytes + clicks.addresses.bytes + clicks.urls.bytes;
  for (const keys of clicks.visitorsAtEnds.values()) bytes += keys.byteLength;
  for (const counts of clicks.breakdowns) {
    for (const [text] of counts.entries()) bytes += bytesOfEntry + 2 * text.length;
  }
  return bytes;
}

/** Returns the memory of keys to the pool. */
export function releaseClicks({ visitors, addresses }: CountedClicks): void {
  visitors.release();
  addresses.release();
}

/**
 * Returns counts without the `removed` clicks, and with the `added` ones. These two must have the same
 * buckets, which include all others. Returns undefined if the result would not be exact.
 */
export async function changeClicks(
  old: CountedClicks,
  removed: ClickChange,
  added: ClickChange,
  read: ReadBuckets,
  pool: Int32Pool,
): Promise<CountedClicks | undefined> {
  const urls = old.urls.changedBy(removed.urls, added.urls);
  const breakdowns: ValueCounts<string>[] = [];
  for (const [at, counts] of old.breakdowns.entries()) {
    const [less, more] = [removed.breakdowns[at], added.breakdowns[at]];
    const changed = less && more && counts.changedBy(less, more);
    if (changed) breakdowns.push(changed);
  }
  const isExact = urls !== undefined && breakdowns.length === old.breakdowns.length;
  const buckets = isExact ? await changeBuckets(old, removed, added, read, pool) : undefined;
  if (!urls || !buckets) return undefined;
  const visitors = changeKeys(old.visitors, removed.visitors, added.visitors);
  if (!visitors) return undefined;
  let addresses: KeySet | undefined;
  try {
    addresses = changeKeys(old.addresses, removed.addresses, added.addresses);
  } finally {
    if (!addresses) visitors.release();
  }
  if (!addresses) return undefined;
  if (buckets.starts.length === 1) buckets.uniquesInBuckets[0] = visitors.size;
  const count = old.count - removed.count + added.count;
  return { count, ...buckets, breakdowns, urls, visitors, addresses };
}

/** Returns undefined if the removed keys are not among the old ones. */
function changeKeys(old: KeySet, removed: DistinctKeys, added: DistinctKeys): KeySet | undefined {
  let changed = old.copy(old.size);
  try {
    if (!removed.removeFrom(changed)) {
      changed.release();
      return undefined;
    }
    if (!changed.hasSpaceFor(added.added)) {
      const larger = changed.copy(changed.size + added.added);
      changed.release();
      changed = larger;
    }
    added.addTo(changed);
  } catch (error) {
    // The pool has too little memory.
    changed.release();
    throw error;
  }
  return changed;
}

/** Returns the time series, or undefined if it would not be exact. */
async function changeBuckets(
  old: CountedClicks,
  removed: ClickChange,
  added: ClickChange,
  read: ReadBuckets,
  pool: Int32Pool,
) {
  const { starts } = added;
  const inBuckets = new Float64Array(starts.length);
  const uniquesInBuckets = new Uint32Array(starts.length);
  const bucketAt = new Map(Array.from(starts, (start, bucket) => [start, bucket]));
  /** The index of each bucket in the old time series. */
  const oldBuckets = new Map<number, number>();
  for (const [at, start] of old.starts.entries()) {
    if (old.inBuckets[at] === 0) continue;
    const bucket = bucketAt.get(start);
    if (bucket === undefined) return undefined;
    oldBuckets.set(bucket, at);
  }
  /** The visitors of buckets, where they are known. */
  const known = new Map<number, Int32Array>();
  const unknown: number[] = [];
  for (const bucket of starts.keys()) {
    const at = oldBuckets.get(bucket);
    const before = at === undefined ? 0 : (old.inBuckets[at] as number);
    const less = removed.inBuckets[bucket] as number;
    const more = added.inBuckets[bucket] as number;
    const oldKeys = at === undefined ? undefined : old.visitorsAtEnds.get(at);
    const addedKeys = added.visitorsAtEnds.get(bucket);
    if (less > before) return undefined;
    inBuckets[bucket] = before - less + more;
    if (less === before) {
      uniquesInBuckets[bucket] = added.uniquesInBuckets[bucket] as number;
      if (addedKeys) known.set(bucket, addedKeys);
    } else if (less === 0 && more === 0) {
      uniquesInBuckets[bucket] = old.uniquesInBuckets[at as number] as number;
      if (oldKeys) known.set(bucket, oldKeys);
    } else if (less === 0 && oldKeys && addedKeys) {
      const keys = new Int32Array(oldKeys.length + addedKeys.length);
      keys.set(oldKeys);
      keys.set(addedKeys, oldKeys.length);
      uniquesInBuckets[bucket] = countKeys(keys, pool);
      known.set(bucket, keys);
    } else if (starts.length > 1) unknown.push(bucket);
  }
  const withClicks = [...inBuckets.keys()].filter((bucket) => inBuckets[bucket] !== 0);
  const ends = starts.length === 1 ? [] : [withClicks[0], withClicks.at(-1)];
  const toRead = new Set(unknown);
  for (const bucket of ends) if (bucket !== undefined && !known.has(bucket)) toRead.add(bucket);
  const found = toRead.size === 0 ? undefined : await read([...toRead]);
  for (const bucket of toRead) uniquesInBuckets[bucket] = found?.uniques[bucket] as number;
  const visitorsAtEnds = new Map<number, Int32Array>();
  for (const bucket of ends) {
    const keys = bucket === undefined ? undefined : (known.get(bucket) ?? found?.keysOf(bucket));
    if (bucket !== undefined && keys) visitorsAtEnds.set(bucket, keys);
  }
  return { starts, inBuckets, uniquesInBuckets, visitorsAtEnds };
}

function countKeys(keys: Int32Array, pool: Int32Pool): number {
  const distinct = new DistinctKeys(pool);
  try {
    distinct.addAll(keys, 0);
    return distinct.finish().total;
  } finally {
    distinct.release();
  }
}
