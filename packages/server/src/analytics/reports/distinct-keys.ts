/** Keys of 64 bits, each of which is two numbers, and the bucket of each. */
interface Keys {
  readonly halves: Int32Array;
  /** Undefined if there is one bucket. */
  readonly buckets: Uint16Array | undefined;
}

// This many keys and their hash table fit into the processor's L2 cache. With fewer keys, there are more
// partitions, and writing to all of them misses the cache more often.
const keysPerPartition = 4096;
const maxPartitions = 4096;

/**
 * Counts distinct keys of 64 bits, exactly. `add` only copies keys; `finish` sorts them by bucket,
 * partitions them by their last bits, and counts each partition in a small hash table. One table of all
 * keys would miss the processor's cache at every key. Keys are hashes, so their bits serve as hash codes.
 * A key whose halves are both zero is ignored. Numbers are signed because V8 is slow with integers above
 * 2³¹.
 */
export class DistinctKeys {
  readonly #bucketCount: number;
  #keys: Keys = { halves: new Int32Array(), buckets: undefined };
  #count = 0;

  /** There are at most 65,536 buckets. */
  constructor(bucketCount = 1) {
    this.#bucketCount = bucketCount;
  }

  /** Makes space for the keys. Must be the first call, with at least their number. */
  reserve(count: number): void {
    this.#keys = {
      halves: new Int32Array(count * 2),
      buckets: this.#bucketCount === 1 ? undefined : new Uint16Array(count),
    };
  }

  /** Adds keys, with the bucket of each. Without buckets, all are in bucket 0. */
  add(halves: Int32Array, buckets?: Uint16Array): void {
    this.#keys.halves.set(halves, this.#count * 2);
    if (buckets) this.#keys.buckets?.set(buckets, this.#count);
    this.#count += halves.length / 2;
  }

  /** Returns the number of distinct keys in total, and in each bucket. No keys may follow. */
  finish() {
    const halves = this.#keys.halves.subarray(0, this.#count * 2);
    const buckets = this.#keys.buckets?.subarray(0, this.#count);
    const inBuckets = new Uint32Array(this.#bucketCount);
    const { keys, ends } = partition(sortByBucket({ halves, buckets }, this.#bucketCount));
    const largest = ends.reduce((size, end, at) => Math.max(size, end - (ends[at - 1] ?? 0)), 0);
    const table = new Int32Array(slotsFor(largest) * 2);
    const lastBuckets = new Uint16Array(slotsFor(largest));
    let total = 0;
    let start = 0;
    for (const end of ends) {
      // A frequent key makes its partition large. The tables of the others remain small.
      const slots = slotsFor(end - start);
      table.fill(0, 0, slots * 2);
      total += countDistinct(keys, start, end, { slots, table, lastBuckets, inBuckets });
      start = end;
    }
    if (this.#bucketCount === 1) inBuckets[0] = total;
    return { total, inBuckets };
  }
}

function sortByBucket(keys: Keys, bucketCount: number): Keys {
  const { buckets } = keys;
  // The visits of one link usually are in the order of time.
  if (buckets === undefined || isSorted(buckets)) return keys;
  return group(keys, buckets, 1, bucketCount, 0xffff).keys;
}

function isSorted(numbers: Uint16Array): boolean {
  for (let at = 1; at < numbers.length; at += 1) {
    if ((numbers[at] as number) < (numbers[at - 1] as number)) return false;
  }
  return true;
}

function partition(keys: Keys) {
  const count = keys.halves.length / 2;
  const partitions = Math.min(maxPartitions, powerOfTwo(count / keysPerPartition));
  return group(keys, keys.halves, 2, partitions, partitions - 1);
}

/**
 * Copies keys so that those of each group are contiguous, in their order. The group of a key is the masked
 * last one of its `width` numbers. Returns the end of each group, too.
 */
function group(
  { halves, buckets }: Keys,
  numbers: Int32Array | Uint16Array,
  width: 1 | 2,
  groupCount: number,
  mask: number,
) {
  const ends = new Uint32Array(groupCount);
  for (let at = width - 1; at < numbers.length; at += width) {
    const to = (numbers[at] as number) & mask;
    ends[to] = (ends[to] as number) + 1;
  }
  for (let at = 0, start = 0; at < groupCount; at += 1) {
    const size = ends[at] as number;
    ends[at] = start;
    start += size;
  }
  const grouped = {
    halves: new Int32Array(halves.length),
    buckets: buckets && new Uint16Array(buckets.length),
  };
  for (let at = 0; at * 2 < halves.length; at += 1) {
    const of = (numbers[at * width + width - 1] as number) & mask;
    const to = ends[of] as number;
    ends[of] = to + 1;
    grouped.halves[to * 2] = halves[at * 2] as number;
    grouped.halves[to * 2 + 1] = halves[at * 2 + 1] as number;
    if (buckets !== undefined) (grouped.buckets as Uint16Array)[to] = buckets[at] as number;
  }
  return { keys: grouped, ends };
}

/** A hash table with open addressing, which has more slots than a partition has keys. */
interface Table {
  readonly slots: number;
  readonly table: Int32Array;
  /** The last bucket of the key in each slot. */
  readonly lastBuckets: Uint16Array;
  readonly inBuckets: Uint32Array;
}

/** Returns the number of distinct keys in a partition. Counts them in each bucket, too. */
function countDistinct(
  { halves, buckets }: Keys,
  start: number,
  end: number,
  { slots, table, lastBuckets, inBuckets }: Table,
): number {
  const mask = slots - 1;
  let distinct = 0;
  for (let at = start; at < end; at += 1) {
    const high = halves[at * 2] as number;
    const low = halves[at * 2 + 1] as number;
    if ((high | low) === 0) continue;
    let slot = high & mask;
    while (
      (table[slot * 2] !== high || table[slot * 2 + 1] !== low) &&
      (table[slot * 2] !== 0 || table[slot * 2 + 1] !== 0)
    ) {
      slot = (slot + 1) & mask;
    }
    const isNew = table[slot * 2] === 0 && table[slot * 2 + 1] === 0;
    if (isNew) {
      table[slot * 2] = high;
      table[slot * 2 + 1] = low;
      distinct += 1;
    }
    if (buckets === undefined) continue;
    // The keys are in the order of their buckets.
    const bucket = buckets[at] as number;
    if (!isNew && lastBuckets[slot] === bucket) continue;
    lastBuckets[slot] = bucket;
    inBuckets[bucket] = (inBuckets[bucket] as number) + 1;
  }
  return distinct;
}

function slotsFor(keys: number): number {
  return powerOfTwo(keys * 2);
}

function powerOfTwo(atLeast: number): number {
  return 2 ** Math.max(0, Math.ceil(Math.log2(Math.max(1, atLeast))));
}
