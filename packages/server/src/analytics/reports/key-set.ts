import type { Int32Pool } from './int32-pool.js';

// The numbers of a slot: the high and the low half of a key.
const stride = 2;
const minSlots = 64;
const maxLoad = 0.75;
// The same as the number of partitions of `DistinctKeys`, at most.
const maxRegions = 4096;

/**
 * A set of distinct keys of 64 bits, which are hashes, in a hash table with open addressing. Keys with
 * the same last bits are in one region of the table. `DistinctKeys` searches keys in the order of these
 * bits, so its searches rarely miss the processor's cache.
 */
export class KeySet {
  readonly #pool: Int32Pool;
  readonly #table: Int32Array;
  readonly #slots: number;
  readonly #regionMask: number;
  readonly #slotsOfRegion: number;
  size = 0;

  /** `capacity` is the largest number of keys. */
  constructor(pool: Int32Pool, capacity: number) {
    this.#slots = Math.max(minSlots, 2 ** Math.ceil(Math.log2(capacity / maxLoad)));
    const regions = Math.min(maxRegions, this.#slots / minSlots);
    this.#regionMask = regions - 1;
    this.#slotsOfRegion = this.#slots / regions;
    this.#pool = pool;
    this.#table = pool.take(this.#slots * stride).fill(0, 0, this.#slots * stride);
  }

  get bytes(): number {
    return this.#table.byteLength;
  }

  /** Adds a key, unless both halves are zero. */
  add(high: number, low: number): void {
    const at = this.#find(high, low);
    if (at < 0 || this.#table[at] !== 0 || this.#table[at + 1] !== 0) return;
    this.#table[at] = high;
    this.#table[at + 1] = low;
    this.size += 1;
  }

  has(high: number, low: number): boolean {
    const at = this.#find(high, low);
    return at >= 0 && (this.#table[at] !== 0 || this.#table[at + 1] !== 0);
  }

  /** Releases the memory. Must be the last call. */
  release(): void {
    this.#pool.release(this.#table);
  }

  /** Returns the place of a key, or the empty one where it belongs. */
  #find(high: number, low: number): number {
    if ((high | low) === 0) return -1;
    const table = this.#table;
    const end = this.#slots * stride;
    const inRegion = high & (this.#slotsOfRegion - 1);
    let at = ((low & this.#regionMask) * this.#slotsOfRegion + inRegion) * stride;
    for (;;) {
      const storedHigh = table[at] as number;
      const storedLow = table[at + 1] as number;
      if (storedHigh === high && storedLow === low) return at;
      if (storedHigh === 0 && storedLow === 0) return at;
      at = at + stride === end ? 0 : at + stride;
    }
  }
}
