import { Int32Pool } from './int32-pool.js';

/** The number of distinct keys in total, and in each bucket. */
export interface DistinctCount {
  readonly total: number;
  readonly inBuckets: Uint32Array;
}

// The numbers that are stored for each key: high half, low half, bucket.
const stride = 3;
const initialKeys = 32;
// This many keys and their hash table fit into the processor's L1 cache.
const keysPerPartition = 1024;
const maxPartitions = 4096;

/**
 * Counts distinct keys of 64 bits, exactly. `add` only appends keys; `finish` partitions them by
 * their last bits and counts each partition in a small hash table. One table of all keys would miss
 * the processor's cache at every key. Keys are hashes, so their own bits are the hash code. Keys
 * of two zeros are ignored. Numbers are signed because V8 is slow with integers above 2³¹.
 */
export class DistinctKeys {
  readonly #pool: Int32Pool;
  #collected: Int32Array;
  #length = 0;

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

  /** Releases the memory. Must be the last call. */
  release(): void {
    this.#pool.release(this.#collected);
    this.#collected = new Int32Array();
  }

  /** Counts the keys. */
  finish(bucketCount = 1): DistinctCount {
    const keyCount = this.#length / stride;
    const partitionCount = Math.min(maxPartitions, powerOfTwo(keyCount / keysPerPartition));
    const ends = this.#partition(partitionCount);
    const tables = new HashTables(this.#pool, largestPartition(ends) / stride, bucketCount);
    let total = 0;
    for (let partition = 0, start = 0; partition < partitionCount; partition += 1) {
      const end = ends[partition] as number;
      total += tables.count(this.#collected, start, end);
      start = end;
    }
    tables.release();
    return { total, inBuckets: tables.inBuckets };
  }

  #reserve(numbers: number): void {
    const before = this.#collected;
    if (this.#length + numbers <= before.length) return;
    this.#collected = this.#pool.take(Math.max(this.#length + numbers, before.length * 2));
    this.#collected.set(before.subarray(0, this.#length));
    this.#pool.release(before);
  }

  /** Reorders keys so that each partition is contiguous. Returns the end of each partition. */
  #partition(partitionCount: number): Uint32Array {
    const collected = this.#collected;
    const length = this.#length;
    const ends = new Uint32Array(partitionCount);
    if (partitionCount === 1) {
      ends[0] = length;
      return ends;
    }
    const mask = partitionCount - 1;
    for (let at = 1; at < length; at += stride) {
      const partition = (collected[at] as number) & mask;
      ends[partition] = (ends[partition] as number) + stride;
    }
    for (let partition = 0, start = 0; partition < partitionCount; partition += 1) {
      const size = ends[partition] as number;
      ends[partition] = start;
      start += size;
    }
    const partitioned = this.#pool.take(length);
    for (let at = 0; at < length; at += stride) {
      const low = collected[at + 1] as number;
      const to = ends[low & mask] as number;
      ends[low & mask] = to + stride;
      partitioned[to] = collected[at] as number;
      partitioned[to + 1] = low;
      partitioned[to + 2] = collected[at + 2] as number;
    }
    this.#pool.release(collected);
    this.#collected = partitioned;
    return ends;
  }
}

function largestPartition(ends: Uint32Array): number {
  return ends.reduce((largest, end, at) => Math.max(largest, end - (ends[at - 1] ?? 0)), 0);
}

/** Hash tables with open addressing. Each has more slots than the largest partition has keys. */
class HashTables {
  readonly inBuckets: Uint32Array;
  readonly #pool: Int32Pool;
  readonly #slots: number;
  /** Each key, with the first bucket that it is in. */
  readonly #keys: Int32Array;
  /** Each key with a further bucket that it is in. There are few: most visitors come once. */
  readonly #repeats: Int32Array;

  constructor(pool: Int32Pool, keys: number, bucketCount: number) {
    this.#pool = pool;
    this.#slots = powerOfTwo(keys * 2);
    this.#keys = pool.take(this.#slots * stride);
    this.#repeats = pool.take(this.#slots * stride).fill(0);
    this.inBuckets = new Uint32Array(bucketCount);
  }

  release(): void {
    this.#pool.release(this.#keys);
    this.#pool.release(this.#repeats);
  }

  /** Counts the keys of a partition in the buckets. Returns the number of distinct keys. */
  count(partitioned: Int32Array, start: number, end: number): number {
    const { inBuckets } = this;
    const keys = this.#keys;
    const last = (this.#slots - 1) * stride;
    const mask = this.#slots - 1;
    keys.fill(0, 0, this.#slots * stride);
    let distinct = 0;
    let repeats = 0;
    for (let at = start; at < end; at += stride) {
      const high = partitioned[at] as number;
      const low = partitioned[at + 1] as number;
      const bucket = partitioned[at + 2] as number;
      let slot = (high & mask) * stride;
      while (keys[slot] !== high || keys[slot + 1] !== low) {
        if (keys[slot] === 0 && keys[slot + 1] === 0) break;
        slot = slot === last ? 0 : slot + stride;
      }
      if (keys[slot] === 0 && keys[slot + 1] === 0) {
        keys[slot] = high;
        keys[slot + 1] = low;
        keys[slot + 2] = bucket;
        distinct += 1;
      } else if (keys[slot + 2] === bucket || !this.#addRepeat(high, low, bucket)) {
        continue;
      } else {
        repeats += 1;
      }
      inBuckets[bucket] = (inBuckets[bucket] as number) + 1;
    }
    if (repeats > 0) this.#repeats.fill(0, 0, this.#slots * stride);
    return distinct;
  }

  /** Returns false when the key was already added with this bucket. */
  #addRepeat(high: number, low: number, bucket: number): boolean {
    const pairs = this.#repeats;
    const last = (this.#slots - 1) * stride;
    let slot = ((high + bucket) & (this.#slots - 1)) * stride;
    while (pairs[slot] !== 0 || pairs[slot + 1] !== 0) {
      if (pairs[slot] === high && pairs[slot + 1] === low && pairs[slot + 2] === bucket)
        return false;
      slot = slot === last ? 0 : slot + stride;
    }
    pairs[slot] = high;
    pairs[slot + 1] = low;
    pairs[slot + 2] = bucket;
    return true;
  }
}

function powerOfTwo(atLeast: number): number {
  return 2 ** Math.max(0, Math.ceil(Math.log2(Math.max(1, atLeast))));
}
