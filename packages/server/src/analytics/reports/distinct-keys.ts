import { NumberPool } from './number-pool.js';

/** How many keys there are in all, and in each bucket. */
export interface DistinctCount {
  readonly total: number;
  readonly inBuckets: Uint32Array;
}

// high, low, bucket
const stride = 3;
const firstRoom = 32;
// So many keys fit, with their table, into the cache that is nearest to the processor.
const keysInPart = 1024;
const maxParts = 4096;

/**
 * Counts distinct keys of 64 bits, exactly. They are collected one behind the other, and sorted into
 * parts by their last bits when they are counted: a table for each part stays in the cache, where one
 * for all of them would wait for memory at every key. The keys are hashes, so that their own bits say
 * where they belong; a key of zeros stands for none. Signed numbers, as V8 has no cheap ones above
 * 2³¹.
 */
export class DistinctKeys {
  readonly #pool: NumberPool;
  #collected: Int32Array;
  #length = 0;

  constructor(pool = new NumberPool()) {
    this.#pool = pool;
    this.#collected = pool.take(firstRoom * stride);
  }

  /**
   * Adds the keys at some places of a run that has two numbers a key; each with the bucket of the
   * same index, or with bucket 0.
   */
  add(keys: Int32Array, places: Uint32Array, buckets?: Int32Array): void {
    this.#makeRoom(places.length * stride);
    const collected = this.#collected;
    let end = this.#length;
    for (let index = 0; index < places.length; index += 1) {
      const from = (places[index] as number) * 2;
      const high = keys[from] as number;
      const low = keys[from + 1] as number;
      collected[end] = high;
      collected[end + 1] = low;
      collected[end + 2] = buckets === undefined ? 0 : (buckets[index] as number);
      if ((high | low) !== 0) end += stride;
    }
    this.#length = end;
  }

  /** Counts what was added, and gives the memory back: it must not be used any more. */
  finish(bucketCount = 1): DistinctCount {
    const parts = Math.min(maxParts, powerOfTwo(this.#length / stride / keysInPart));
    const { sorted, ends } = this.#sort(parts);
    const tables = new Tables(this.#pool, largestPart(ends) / stride, bucketCount);
    let total = 0;
    for (let part = 0, start = 0; part < parts; part += 1) {
      const end = ends[part] as number;
      total += tables.count(sorted, start, end);
      start = end;
    }
    tables.release();
    this.#pool.giveBack(sorted);
    return { total, inBuckets: tables.inBuckets };
  }

  #makeRoom(more: number): void {
    const before = this.#collected;
    if (this.#length + more <= before.length) return;
    this.#collected = this.#pool.take(Math.max(this.#length + more, before.length * 2));
    this.#collected.set(before.subarray(0, this.#length));
    this.#pool.giveBack(before);
  }

  /** Keys with the same last bits stand together; where each part of them ends. */
  #sort(parts: number): { sorted: Int32Array; ends: Uint32Array } {
    const collected = this.#collected;
    const length = this.#length;
    const ends = new Uint32Array(parts);
    if (parts === 1) {
      ends[0] = length;
      return { sorted: collected, ends };
    }
    const mask = parts - 1;
    for (let at = 1; at < length; at += stride) {
      const part = (collected[at] as number) & mask;
      ends[part] = (ends[part] as number) + stride;
    }
    for (let part = 0, start = 0; part < parts; part += 1) {
      const size = ends[part] as number;
      ends[part] = start;
      start += size;
    }
    const sorted = this.#pool.take(length);
    for (let at = 0; at < length; at += stride) {
      const low = collected[at + 1] as number;
      const to = ends[low & mask] as number;
      ends[low & mask] = to + stride;
      sorted[to] = collected[at] as number;
      sorted[to + 1] = low;
      sorted[to + 2] = collected[at + 2] as number;
    }
    this.#pool.giveBack(collected);
    return { sorted, ends };
  }
}

function largestPart(ends: Uint32Array): number {
  return ends.reduce((largest, end, part) => Math.max(largest, end - (ends[part - 1] ?? 0)), 0);
}

/** Open tables, each with more slots than a part has keys. */
class Tables {
  readonly inBuckets: Uint32Array;
  readonly #pool: NumberPool;
  readonly #slots: number;
  /** Each key, with the bucket in which it was met first. */
  readonly #keys: Int32Array;
  /** Each key with every other bucket in which it was met: few, as most visitors come once. */
  readonly #returns: Int32Array;

  constructor(pool: NumberPool, keys: number, bucketCount: number) {
    this.#pool = pool;
    this.#slots = powerOfTwo(keys * 2);
    this.#keys = pool.take(this.#slots * stride);
    this.#returns = pool.take(this.#slots * stride).fill(0);
    this.inBuckets = new Uint32Array(bucketCount);
  }

  release(): void {
    this.#pool.giveBack(this.#keys);
    this.#pool.giveBack(this.#returns);
  }

  /** Counts a part into the buckets; how many keys differ. */
  count(sorted: Int32Array, start: number, end: number): number {
    const { inBuckets } = this;
    const keys = this.#keys;
    const last = (this.#slots - 1) * stride;
    const mask = this.#slots - 1;
    keys.fill(0, 0, this.#slots * stride);
    let distinct = 0;
    let returns = 0;
    for (let at = start; at < end; at += stride) {
      const high = sorted[at] as number;
      const low = sorted[at + 1] as number;
      const bucket = sorted[at + 2] as number;
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
      } else if (keys[slot + 2] === bucket || !this.#addReturn(high, low, bucket)) {
        continue;
      } else {
        returns += 1;
      }
      inBuckets[bucket] = (inBuckets[bucket] as number) + 1;
    }
    if (returns > 0) this.#returns.fill(0, 0, this.#slots * stride);
    return distinct;
  }

  #addReturn(high: number, low: number, bucket: number): boolean {
    const pairs = this.#returns;
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
