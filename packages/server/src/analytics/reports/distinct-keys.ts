import { Int32Pool } from './int32-pool.js';
import { KeySet } from './key-set.js';

/** The number of distinct keys in total, and in each bucket. */
export interface DistinctCount {
  readonly total: number;
  readonly inBuckets: Uint32Array;
}

// The numbers that are stored for each key: high half, low half, bucket.
const stride = 3;
const initialKeys = 32;
// A segment of 3 MB.
const maxSegmentKeys = 256 * 1024;
// This many keys and their hash table fit into the processor's L2 cache. With fewer keys, there are more
// partitions, and writing to all of them misses the cache more often.
const keysPerPartition = 4096;
const maxPartitions = 4096;
// The bits of a number.
const maxBits = 32;

/**
 * Counts distinct keys of 64 bits, exactly. `add` only appends keys; `finish` partitions them by
 * their last bits and counts each partition in a small hash table. One table of all keys would miss
 * the processor's cache at every key. Keys are hashes, so their bits serve as hash codes. A key
 * whose halves are both zero is ignored. Numbers are signed because V8 is slow with integers above
 * 2³¹.
 */
export class DistinctKeys {
  readonly #pool: Int32Pool;
  /** The full segments. Segments are not copied when more keys follow. */
  #full: Int32Array[] = [];
  readonly #lengths: number[] = [];
  /** The last segment. */
  #collected: Int32Array;
  #length = 0;
  #isPartitioned = false;

  constructor(pool = new Int32Pool()) {
    this.#pool = pool;
    this.#collected = pool.take(initialKeys * stride);
  }

  /**
   * Adds the keys at `indexes` of `keys`, which has two numbers for each key. `buckets` has a bucket
   * for each index; without it, all keys are in bucket 0.
   */
  add(keys: Int32Array, indexes: Uint32Array, buckets?: Int32Array): void {
    this.#reserve(indexes.length * stride);
    const collected = this.#collected;
    let end = this.#length;
    for (let at = 0; at < indexes.length; at += 1) {
      const from = (indexes[at] as number) * 2;
      const high = keys[from] as number;
      const low = keys[from + 1] as number;
      collected[end] = high;
      collected[end + 1] = low;
      collected[end + 2] = buckets === undefined ? 0 : (buckets[at] as number);
      if ((high | low) !== 0) end += stride;
    }
    this.#length = end;
  }

  /** Adds all keys of an array to one bucket. */
  addAll(keys: Int32Array, bucket: number): void {
    const count = keys.length / 2;
    this.#reserve(count * stride);
    const collected = this.#collected;
    for (let at = 0; at < keys.length; at += 2) {
      collected[this.#length] = keys[at] as number;
      collected[this.#length + 1] = keys[at + 1] as number;
      collected[this.#length + 2] = bucket;
      this.#length += stride;
    }
  }

  /** Returns the keys that were added to a bucket, two numbers each. Must precede `finish`. */
  keysOf(bucket: number): Int32Array {
    const segments = this.#segments();
    let found = 0;
    for (const keys of segments) {
      for (let at = 2; at < keys.length; at += stride) if (keys[at] === bucket) found += 1;
    }
    const result = new Int32Array(found * 2);
    let end = 0;
    for (const keys of segments) {
      for (let at = 0; at < keys.length; at += stride) {
        if (keys[at + 2] !== bucket) continue;
        result[end] = keys[at] as number;
        result[end + 1] = keys[at + 1] as number;
        end += 2;
      }
    }
    return result;
  }

  /** Releases the memory. Must be the last call. */
  release(): void {
    for (const segment of [...this.#full, this.#collected]) this.#pool.release(segment);
    this.#full = [];
    this.#collected = new Int32Array();
  }

  /** Counts the keys. The total does not include those in `known`. */
  finish(bucketCount = 1, known?: KeySet): DistinctCount {
    if (known === undefined) return this.#count(bucketCount);
    let total = 0;
    const { inBuckets } = this.#count(bucketCount, (high, low) => {
      if (!known.has(high, low)) total += 1;
    });
    return { total, inBuckets };
  }

  /** Counts the keys, and returns them as a multiset, which the caller must release. */
  finishAsSet(bucketCount = 1): DistinctCount & { readonly keys: KeySet } {
    const counted = this.#count(bucketCount);
    const keys = new KeySet(this.#pool, counted.total);
    this.addTo(keys);
    return { ...counted, keys };
  }

  /** Adds the occurrences of all keys to a set. No keys may follow. */
  addTo(set: KeySet): void {
    const keys = this.#inOrder();
    for (let at = 0; at < keys.length; at += stride) {
      set.add(keys[at] as number, keys[at + 1] as number);
    }
  }

  /** Removes the occurrences of all keys from a set. Returns false if it lacks some. No keys may follow. */
  removeFrom(set: KeySet): boolean {
    const keys = this.#inOrder();
    let hasAll = true;
    for (let at = 0; at < keys.length; at += stride) {
      if (!set.remove(keys[at] as number, keys[at + 1] as number)) hasAll = false;
    }
    return hasAll;
  }

  /** The number of keys that were added. */
  get added(): number {
    return this.#lengths.reduce((sum, each) => sum + each, this.#length) / stride;
  }

  /** Returns all keys, those with the same last bits together. */
  #inOrder(): Int32Array {
    if (!this.#isPartitioned) this.#partition(this.added * stride, this.#partitionCount());
    return this.#collected.subarray(0, this.#length);
  }

  #partitionCount(): number {
    return Math.min(maxPartitions, powerOfTwo(this.added / keysPerPartition));
  }

  /** Counts the keys. Calls `onKey` with each distinct key, those with the same last bits together. */
  #count(bucketCount: number, onKey?: (high: number, low: number) => void): DistinctCount {
    const inBuckets = new Uint32Array(bucketCount);
    const ends = this.#partition(this.added * stride, this.#partitionCount());
    const largest = ends.reduce((size, end, at) => Math.max(size, end - (ends[at - 1] ?? 0)), 0);
    const table = this.#pool.take(slotsFor(largest) * stride);
    let total = 0;
    let start = 0;
    for (const end of ends) {
      const partition = this.#collected.subarray(start, end);
      // A frequent key makes its partition large. The tables of the others remain small.
      const slots = slotsFor(end - start);
      if (bucketCount > 1 && bucketCount <= maxBits) {
        total += countInFewBuckets(partition, table, slots, inBuckets);
      } else {
        if (bucketCount > 1) countDistinct(partition, table, slots, inBuckets);
        total += countDistinct(partition, table, slots);
      }
      // The table has the keys of the partition, which is not read any more.
      if (onKey) forEachKey(table, slots, onKey);
      start = end;
    }
    if (bucketCount === 1) inBuckets[0] = total;
    this.#pool.release(table);
    return { total, inBuckets };
  }

  /** Starts a segment if the last one has no space for these numbers. */
  #reserve(numbers: number): void {
    const before = this.#collected;
    if (this.#length + numbers <= before.length) return;
    const size = Math.min(before.length * 2, maxSegmentKeys * stride);
    const next = this.#pool.take(Math.max(numbers, size));
    this.#full.push(before);
    this.#lengths.push(this.#length);
    this.#collected = next;
    this.#length = 0;
  }

  #segments(): readonly Int32Array[] {
    return [...this.#full, this.#collected].map((segment, at) =>
      segment.subarray(0, this.#lengths[at] ?? this.#length),
    );
  }

  /** Joins the segments so that each partition is contiguous. Returns the end of each partition. */
  #partition(length: number, partitionCount: number): Uint32Array {
    const segments = this.#segments();
    const ends = new Uint32Array(partitionCount);
    const mask = partitionCount - 1;
    for (const keys of segments) {
      for (let at = 1; at < keys.length; at += stride) {
        const partition = (keys[at] as number) & mask;
        ends[partition] = (ends[partition] as number) + stride;
      }
    }
    for (let partition = 0, start = 0; partition < partitionCount; partition += 1) {
      const size = ends[partition] as number;
      ends[partition] = start;
      start += size;
    }
    const partitioned = this.#pool.take(length);
    for (const keys of segments) {
      for (let at = 0; at < keys.length; at += stride) {
        const low = keys[at + 1] as number;
        const to = ends[low & mask] as number;
        ends[low & mask] = to + stride;
        partitioned[to] = keys[at] as number;
        partitioned[to + 1] = low;
        partitioned[to + 2] = keys[at + 2] as number;
      }
    }
    this.release();
    this.#collected = partitioned;
    this.#length = length;
    this.#lengths.length = 0;
    this.#isPartitioned = true;
    return ends;
  }
}

/** Calls `onKey` with each key of a hash table. */
function forEachKey(
  table: Int32Array,
  slots: number,
  onKey: (high: number, low: number) => void,
): void {
  for (let at = 0; at < slots * stride; at += stride) {
    const high = table[at] as number;
    const low = table[at + 1] as number;
    if ((high | low) !== 0) onKey(high, low);
  }
}

/** Returns the size of the hash table of a partition with this many numbers. */
function slotsFor(length: number): number {
  return powerOfTwo((length / stride) * 2);
}

/**
 * Returns the number of distinct keys in a partition. With `inBuckets`, counts distinct pairs of key
 * and bucket in the buckets instead. The hash table has open addressing, and more slots than the
 * partition has keys.
 */
function countDistinct(
  partition: Int32Array,
  table: Int32Array,
  slots: number,
  inBuckets?: Uint32Array,
): number {
  const end = slots * stride;
  table.fill(0, 0, end);
  let distinct = 0;
  for (let at = 0; at < partition.length; at += stride) {
    const high = partition[at] as number;
    const low = partition[at + 1] as number;
    const bucket = inBuckets === undefined ? 0 : (partition[at + 2] as number);
    let slot = ((high + bucket) & (slots - 1)) * stride;
    while (
      (table[slot] !== 0 || table[slot + 1] !== 0) &&
      (table[slot] !== high || table[slot + 1] !== low || table[slot + 2] !== bucket)
    ) {
      slot = slot + stride === end ? 0 : slot + stride;
    }
    if (table[slot] !== 0 || table[slot + 1] !== 0) continue;
    table[slot] = high;
    table[slot + 1] = low;
    table[slot + 2] = bucket;
    distinct += 1;
    if (inBuckets) inBuckets[bucket] = (inBuckets[bucket] as number) + 1;
  }
  return distinct;
}

/**
 * Returns the number of distinct keys in a partition, and counts distinct pairs of key and bucket in
 * the buckets, at most `maxBits`. The third number of a slot has a bit for each bucket of its key.
 */
function countInFewBuckets(
  partition: Int32Array,
  table: Int32Array,
  slots: number,
  inBuckets: Uint32Array,
): number {
  const end = slots * stride;
  table.fill(0, 0, end);
  let distinct = 0;
  for (let at = 0; at < partition.length; at += stride) {
    const high = partition[at] as number;
    const low = partition[at + 1] as number;
    const bucket = partition[at + 2] as number;
    let slot = (high & (slots - 1)) * stride;
    let bits = table[slot + 2] as number;
    // Each key that is stored has a bit.
    while (bits !== 0 && (table[slot] !== high || table[slot + 1] !== low)) {
      slot = slot + stride === end ? 0 : slot + stride;
      bits = table[slot + 2] as number;
    }
    const bit = 1 << bucket;
    if ((bits & bit) !== 0) continue;
    if (bits === 0) {
      table[slot] = high;
      table[slot + 1] = low;
      distinct += 1;
    }
    table[slot + 2] = bits | bit;
    inBuckets[bucket] = (inBuckets[bucket] as number) + 1;
  }
  return distinct;
}

function powerOfTwo(atLeast: number): number {
  return 2 ** Math.max(0, Math.ceil(Math.log2(Math.max(1, atLeast))));
}
