import type { Int32Pool } from './int32-pool.js';

// The numbers of a slot: the high and the low half of a key.
const stride = 2;
const minSlots = 64;
const maxLoad = 0.75;
// Many of the keys that are added are often there already.
const maxLoadOfChange = 0.875;
// The same as the number of partitions of `DistinctKeys`, at most.
const maxRegions = 4096;

// From this number on, the occurrences of a stored key do not fit into its byte.
const largeCount = 255;

/** The keys of a set, for storage. */
export interface StoredKeys {
  readonly keys: Int32Array;
  /** The occurrences of each key, up to `largeCount`. */
  readonly counts: Uint8Array;
  /** The occurrences of the keys that have more. */
  readonly large: Int32Array;
}

/**
 * A multiset of keys of 64 bits, which are hashes, in a hash table with open addressing and linear
 * probing. Keys with the same last bits are in one region of the table. `DistinctKeys` searches keys in
 * the order of these bits, so its searches rarely miss the processor's cache.
 */
export class KeySet {
  readonly #pool: Int32Pool;
  readonly #table: Int32Array;
  /** How often the key of each slot occurs: 0 in an empty slot. */
  readonly #counts: Int32Array;
  readonly #slots: number;
  readonly #regionMask: number;
  readonly #slotsOfRegion: number;
  /** The number of distinct keys. */
  size = 0;

  /** `capacity` is the largest number of distinct keys. */
  constructor(pool: Int32Pool, capacity: number) {
    this.#slots = slotsFor(capacity);
    const regions = Math.min(maxRegions, this.#slots / minSlots);
    this.#regionMask = regions - 1;
    this.#slotsOfRegion = this.#slots / regions;
    this.#pool = pool;
    this.#table = pool.take(this.#slots * stride);
    try {
      this.#counts = pool.take(this.#slots).fill(0, 0, this.#slots);
    } catch (error) {
      pool.release(this.#table);
      throw error;
    }
  }

  /** Returns whether so many keys can be added without long searches. */
  hasSpaceFor(keys: number): boolean {
    return this.size + keys <= this.#slots * maxLoadOfChange;
  }

  get bytes(): number {
    return this.#table.byteLength + this.#counts.byteLength;
  }

  /** Adds occurrences of a key, unless both halves are zero. */
  add(high: number, low: number, count = 1): void {
    if ((high | low) === 0) return;
    const slot = this.#find(high, low);
    if (this.#counts[slot] === 0) {
      this.#table[slot * stride] = high;
      this.#table[slot * stride + 1] = low;
      this.size += 1;
    }
    this.#counts[slot] = (this.#counts[slot] as number) + count;
  }

  /** Removes occurrences of a key. Returns false if the set has fewer. */
  remove(high: number, low: number, count = 1): boolean {
    if ((high | low) === 0) return true;
    const slot = this.#find(high, low);
    const left = (this.#counts[slot] as number) - count;
    if (left < 0) return false;
    this.#counts[slot] = left;
    if (left > 0) return true;
    this.size -= 1;
    this.#close(slot);
    return true;
  }

  has(high: number, low: number): boolean {
    return (high | low) !== 0 && this.#counts[this.#find(high, low)] !== 0;
  }

  /** Calls `onKey` with each distinct key and its number of occurrences, in the order of the table. */
  forEach(onKey: (high: number, low: number, count: number) => void): void {
    const table = this.#table;
    const counts = this.#counts;
    for (let slot = 0; slot < this.#slots; slot += 1) {
      const count = counts[slot] as number;
      if (count === 0) continue;
      onKey(table[slot * stride] as number, table[slot * stride + 1] as number, count);
    }
  }

  /** Returns the keys and their numbers of occurrences, in the order of the table. */
  toStored(): StoredKeys {
    const keys = new Int32Array(this.size * stride);
    const counts = new Uint8Array(this.size);
    const large: number[] = [];
    let at = 0;
    this.forEach((high, low, count) => {
      keys[at * stride] = high;
      keys[at * stride + 1] = low;
      counts[at] = Math.min(count, largeCount);
      if (count >= largeCount) large.push(count);
      at += 1;
    });
    return { keys, counts, large: Int32Array.from(large) };
  }

  /** Returns the set of stored keys, which are distinct. It is quick, because it writes a table in its order. */
  static fromStored(pool: Int32Pool, { keys, counts, large }: StoredKeys): KeySet {
    const set = new KeySet(pool, counts.length);
    const setTable = set.#table;
    const setCounts = set.#counts;
    const lastSlot = set.#slots - 1;
    let largeAt = 0;
    for (let at = 0; at < counts.length; at += 1) {
      const high = keys[at * stride] as number;
      const low = keys[at * stride + 1] as number;
      let count = counts[at] as number;
      if (count === largeCount) {
        count = large[largeAt] as number;
        largeAt += 1;
      }
      let slot = set.#firstSlot(high, low);
      while (setCounts[slot] !== 0) slot = slot === lastSlot ? 0 : slot + 1;
      setTable[slot * stride] = high;
      setTable[slot * stride + 1] = low;
      setCounts[slot] = count;
    }
    set.size = counts.length;
    return set;
  }

  /** Returns a copy for at most `capacity` distinct keys. */
  copy(capacity: number): KeySet {
    const copy = new KeySet(this.#pool, Math.max(this.size, capacity));
    if (copy.#slots === this.#slots) {
      copy.#table.set(this.#table);
      copy.#counts.set(this.#counts);
      copy.size = this.size;
      return copy;
    }
    this.forEach((high, low, count) => {
      copy.add(high, low, count);
    });
    return copy;
  }

  /** Releases the memory. Must be the last call. */
  release(): void {
    this.#pool.release(this.#table);
    this.#pool.release(this.#counts);
  }

  /** Returns the slot of a key, or the empty one where it belongs. */
  #find(high: number, low: number): number {
    const table = this.#table;
    const counts = this.#counts;
    let slot = this.#firstSlot(high, low);
    while (counts[slot] !== 0) {
      if (table[slot * stride] === high && table[slot * stride + 1] === low) return slot;
      slot = slot + 1 === this.#slots ? 0 : slot + 1;
    }
    return slot;
  }

  /** Moves later keys into an empty slot, so that searches do not end there. */
  #close(slot: number): void {
    const table = this.#table;
    const counts = this.#counts;
    const mask = this.#slots - 1;
    let empty = slot;
    for (let next = (empty + 1) & mask; counts[next] !== 0; next = (next + 1) & mask) {
      const high = table[next * stride] as number;
      const low = table[next * stride + 1] as number;
      const isAfterEmpty = ((next - this.#firstSlot(high, low)) & mask) < ((next - empty) & mask);
      if (isAfterEmpty) continue;
      table[empty * stride] = high;
      table[empty * stride + 1] = low;
      counts[empty] = counts[next] as number;
      counts[next] = 0;
      empty = next;
    }
  }

  #firstSlot(high: number, low: number): number {
    return (low & this.#regionMask) * this.#slotsOfRegion + (high & (this.#slotsOfRegion - 1));
  }
}

/** Returns the size of the table, a power of two. */
function slotsFor(capacity: number): number {
  return Math.max(minSlots, 2 ** Math.ceil(Math.log2(capacity / maxLoad)));
}
