/** The number of distinct keys in total, and in each bucket. */
export interface DistinctCount {
  readonly total: number;
  readonly inBuckets: Uint32Array;
}

// The numbers that are stored for each key: high half, low half, bucket.
const stride = 3;
// This many keys and their hash table fit into the processor's L2 cache. With fewer keys, there are more
// partitions, and writing to all of them misses the cache more often.
const keysPerPartition = 4096;
const maxPartitions = 4096;

/**
 * Counts distinct keys of 64 bits, exactly. `add` only appends keys; `finish` partitions them by
 * their last bits and counts each partition in a small hash table. One table of all keys would miss
 * the processor's cache at every key. Keys are hashes, so their bits serve as hash codes. A key
 * whose halves are both zero is ignored. Numbers are signed because V8 is slow with integers above
 * 2³¹.
 */
export class DistinctKeys {
  #keys = new Int32Array();
  #length = 0;

  /** Makes space for the keys. Must be the first call, with at least their number. */
  reserve(keys: number): void {
    this.#keys = new Int32Array(keys * stride);
  }

  /**
   * Adds the keys at `indexes` of `keys`, which has two numbers for each key. `buckets` has a bucket
   * for each index; without it, all keys are in bucket 0.
   */
  add(keys: Int32Array, indexes: Uint32Array, buckets?: Int32Array): void {
    const collected = this.#keys;
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

  /** Counts the keys. No keys may follow. */
  finish(bucketCount = 1): DistinctCount {
    const added = this.#length / stride;
    const partitions = Math.min(maxPartitions, powerOfTwo(added / keysPerPartition));
    const inBuckets = new Uint32Array(bucketCount);
    const { partitioned, ends } = this.#partition(partitions);
    const largest = ends.reduce((size, end, at) => Math.max(size, end - (ends[at - 1] ?? 0)), 0);
    const table = new Int32Array(slotsFor(largest) * stride);
    let total = 0;
    let start = 0;
    for (const end of ends) {
      const partition = partitioned.subarray(start, end);
      // A frequent key makes its partition large. The tables of the others remain small.
      const slots = slotsFor(end - start);
      if (bucketCount > 1) countDistinct(partition, table, slots, inBuckets);
      total += countDistinct(partition, table, slots);
      start = end;
    }
    if (bucketCount === 1) inBuckets[0] = total;
    return { total, inBuckets };
  }

  /** Copies the keys so that each partition is contiguous. Returns the end of each partition, too. */
  #partition(partitionCount: number) {
    const keys = this.#keys.subarray(0, this.#length);
    const ends = new Uint32Array(partitionCount);
    const mask = partitionCount - 1;
    for (let at = 1; at < keys.length; at += stride) {
      const partition = (keys[at] as number) & mask;
      ends[partition] = (ends[partition] as number) + stride;
    }
    for (let partition = 0, start = 0; partition < partitionCount; partition += 1) {
      const size = ends[partition] as number;
      ends[partition] = start;
      start += size;
    }
    const partitioned = new Int32Array(keys.length);
    for (let at = 0; at < keys.length; at += stride) {
      const low = keys[at + 1] as number;
      const to = ends[low & mask] as number;
      ends[low & mask] = to + stride;
      partitioned[to] = keys[at] as number;
      partitioned[to + 1] = low;
      partitioned[to + 2] = keys[at + 2] as number;
    }
    return { partitioned, ends };
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

function powerOfTwo(atLeast: number): number {
  return 2 ** Math.max(0, Math.ceil(Math.log2(Math.max(1, atLeast))));
}
