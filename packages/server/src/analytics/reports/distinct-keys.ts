// This many keys and their hash tables fit into the processor's L2 cache. With fewer keys, there are more
// partitions, and writing to all of them misses the cache more often.
const keysPerPartition = 4096;
const maxPartitions = 4096;
const keysPerChunk = 128;

// Memory of counted keys serves the next reports. What each report allocates outside the heap makes the
// garbage collector run, which takes longer than counting 300,000 keys.
const spareMemory: ArrayBuffer[] = [];
const maxSpareBytes = 2 ** 23;
const maxSpares = 4;

/**
 * Counts distinct keys of 64 bits, each of which is two numbers, exactly. `add` copies each key to a
 * partition, which its last bits choose, and `finish` counts each partition in a small hash table. One
 * table of all keys would miss the processor's cache at every key. Keys are hashes, so their bits serve as
 * hash codes. A key whose halves are both zero is ignored. Numbers are signed because V8 is slow with
 * integers above 2³¹.
 */
export class DistinctKeys {
  readonly #bucketCount: number;
  #memory = new ArrayBuffer();
  /** Chunks of keys, each of which belongs to one partition. */
  #halves = new Int32Array();
  /** The bucket of each key; empty if there is one bucket. */
  #buckets = new Uint16Array();
  #chunkCount = 0;
  /** The chunk after each chunk of a partition. The first one has the number of the partition. */
  #nextChunks = new Uint32Array();
  /** The index of the next key of each partition. */
  #ends = new Uint32Array();

  /** There are at most 65,536 buckets. */
  constructor(bucketCount = 1) {
    this.#bucketCount = bucketCount;
  }

  /** Makes space for the keys. Must be the first call, with at least their number. */
  reserve(count: number): void {
    const partitions = Math.min(maxPartitions, powerOfTwo(count / keysPerPartition));
    // The last chunk of a partition is not full.
    const chunks = Math.ceil(count / keysPerChunk) + partitions;
    const keys = chunks * keysPerChunk;
    this.#memory = takeMemory(keys * (this.#bucketCount > 1 ? 10 : 8));
    this.#halves = new Int32Array(this.#memory, 0, keys * 2);
    if (this.#bucketCount > 1) this.#buckets = new Uint16Array(this.#memory, keys * 8, keys);
    this.#chunkCount = partitions;
    this.#nextChunks = new Uint32Array(chunks);
    this.#ends = Uint32Array.from({ length: partitions }, (_, index) => index * keysPerChunk);
  }

  /** Adds keys, with the bucket of each if there are several buckets. */
  add(keys: Int32Array, keyBuckets?: Uint16Array): void {
    const halves = this.#halves;
    const buckets = this.#buckets;
    const ends = this.#ends;
    const mask = ends.length - 1;
    for (let at = 0; at * 2 < keys.length; at += 1) {
      const high = keys[at * 2] as number;
      const low = keys[at * 2 + 1] as number;
      if ((high | low) === 0) continue;
      const to = ends[low & mask] as number;
      halves[to * 2] = high;
      halves[to * 2 + 1] = low;
      if (keyBuckets !== undefined) buckets[to] = keyBuckets[at] as number;
      ends[low & mask] = (to + 1) % keysPerChunk === 0 ? this.#startChunk(to) : to + 1;
    }
  }

  /** Starts the next chunk of the partition whose last key is at `last`. Returns its first index. */
  #startChunk(last: number): number {
    const chunk = this.#chunkCount;
    this.#chunkCount += 1;
    this.#nextChunks[Math.floor(last / keysPerChunk)] = chunk;
    return chunk * keysPerChunk;
  }

  /** Returns the number of distinct keys in total, and in each bucket. No keys may follow. */
  finish() {
    const inBuckets = new Uint32Array(this.#bucketCount);
    let [keys, pairs] = [new Uint32Array(), new Uint32Array()];
    let total = 0;
    for (let partition = 0; partition < this.#ends.length; partition += 1) {
      const ranges = this.#rangesOf(partition);
      // A frequent key makes its partition large. The tables of the others remain small.
      const size = slotsFor(ranges.length * keysPerChunk);
      if (size > keys.length) {
        keys = new Uint32Array(size);
        if (this.#bucketCount > 1) pairs = new Uint32Array(size);
      }
      const table = keys.subarray(0, size).fill(0);
      const others = pairs.subarray(0, size).fill(0);
      total += this.#countDistinct(ranges, table, others, inBuckets);
    }
    if (this.#bucketCount === 1) inBuckets[0] = total;
    const { byteLength } = this.#memory;
    if (byteLength > 0 && byteLength <= maxSpareBytes) spareMemory.push(this.#memory);
    if (spareMemory.length > maxSpares) spareMemory.shift();
    return { total, inBuckets };
  }

  /** Returns where the keys of a partition are. */
  #rangesOf(partition: number): Range[] {
    const end = this.#ends[partition] as number;
    const lastChunk = Math.floor(end / keysPerChunk);
    const ranges: Range[] = [];
    let chunk = partition;
    while (chunk !== lastChunk) {
      ranges.push([chunk * keysPerChunk, (chunk + 1) * keysPerChunk]);
      chunk = this.#nextChunks[chunk] as number;
    }
    ranges.push([chunk * keysPerChunk, end]);
    return ranges;
  }

  /**
   * Returns the number of distinct keys in a partition. Counts them in each bucket, too. `keys` and `pairs`
   * are empty hash tables with open addressing, whose slots have the index of a key plus one: of the first
   * of equal keys, and of the first in each other bucket.
   */
  #countDistinct(
    ranges: readonly Range[],
    keys: Uint32Array,
    pairs: Uint32Array,
    inBuckets: Uint32Array,
  ): number {
    const halves = this.#halves;
    const buckets = this.#buckets;
    const hasBuckets = buckets.length > 0;
    const mask = keys.length - 1;
    let distinct = 0;
    for (const [start, end] of ranges) {
      for (let at = start; at < end; at += 1) {
        const high = halves[at * 2] as number;
        const low = halves[at * 2 + 1] as number;
        let slot = high & mask;
        let first = (keys[slot] as number) - 1;
        while (first >= 0 && (halves[first * 2] !== high || halves[first * 2 + 1] !== low)) {
          slot = (slot + 1) & mask;
          first = (keys[slot] as number) - 1;
        }
        if (first < 0) {
          keys[slot] = at + 1;
          distinct += 1;
        }
        if (!hasBuckets) continue;
        const bucket = buckets[at] as number;
        if (first >= 0) {
          if (buckets[first] === bucket) continue;
          slot = (high ^ Math.imul(bucket, 0x9e3779b1)) & mask;
          let same = (pairs[slot] as number) - 1;
          while (
            same >= 0 &&
            (halves[same * 2] !== high || halves[same * 2 + 1] !== low || buckets[same] !== bucket)
          ) {
            slot = (slot + 1) & mask;
            same = (pairs[slot] as number) - 1;
          }
          if (same >= 0) continue;
          pairs[slot] = at + 1;
        }
        inBuckets[bucket] = (inBuckets[bucket] as number) + 1;
      }
    }
    return distinct;
  }
}

type Range = readonly [start: number, end: number];

/** Returns memory for so many bytes, which has old ones. */
function takeMemory(bytes: number): ArrayBuffer {
  const spare = spareMemory.findIndex(({ byteLength }) => byteLength >= bytes);
  if (spare >= 0) return spareMemory.splice(spare, 1)[0] as ArrayBuffer;
  return new ArrayBuffer(bytes > maxSpareBytes ? bytes : powerOfTwo(bytes));
}

/** Three quarters of the slots remain empty, so nearly all keys are in their first slot. */
function slotsFor(keys: number): number {
  // Most keys of a very large partition are equal.
  return powerOfTwo(Math.min(keys * 4, keys + 2 ** 20));
}

function powerOfTwo(atLeast: number): number {
  return 2 ** Math.max(0, Math.ceil(Math.log2(Math.max(1, atLeast))));
}
