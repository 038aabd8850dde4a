// Bounds the time of one eviction, however many entries were read lately.
const maxCheckedEntries = 64;

export interface ClockCacheOptions<K, V> {
  readonly maxEntries: number;
  /** The maximum sum of the sizes of all entries. */
  readonly maxSize: number;
  readonly sizeOf: (key: K, value: V) => number;
  /** Called for each entry that is evicted, and for one that is too large to be stored. */
  readonly onEvict: (key: K, value: V) => void;
}

interface Entry<K, V> {
  readonly key: K;
  readonly value: V;
  readonly size: number;
  /** Whether it was read since the clock hand passed it. */
  isRecent: boolean;
  readonly slot: number;
}

/**
 * A bounded map that evicts by the clock algorithm. A hit costs a look-up and at most one flag; an
 * LRU list would be updated at every hit, which costs a redirect more than the look-up itself.
 *
 * The slots are an array, because removing the oldest entry of a JavaScript Map is slow: V8 walks
 * over all entries that were removed before it.
 */
export class ClockCache<K, V> {
  readonly #options: ClockCacheOptions<K, V>;
  readonly #entries = new Map<K, Entry<K, V>>();
  #slots: (Entry<K, V> | undefined)[] = [];
  /** Slots of removed entries. */
  #freeSlots: number[] = [];
  #hand = 0;
  #size = 0;

  constructor(options: ClockCacheOptions<K, V>) {
    this.#options = options;
  }

  /** The sum of the sizes of all entries. */
  get size(): number {
    return this.#size;
  }

  get(key: K): V | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    if (!entry.isRecent) entry.isRecent = true;
    return entry.value;
  }

  set(key: K, value: V): void {
    this.delete(key);
    const { maxEntries, maxSize, sizeOf, onEvict } = this.#options;
    const size = sizeOf(key, value);
    if (size > maxSize) {
      onEvict(key, value);
      return;
    }
    while (this.#entries.size >= maxEntries || this.#size + size > maxSize) this.#evictOne();
    const slot = this.#freeSlots.pop() ?? this.#slots.length;
    const entry = { key, value, size, isRecent: false, slot };
    this.#slots[slot] = entry;
    this.#entries.set(key, entry);
    this.#size += size;
  }

  delete(key: K): void {
    const entry = this.#entries.get(key);
    if (entry !== undefined) this.#remove(entry);
  }

  clear(): void {
    this.#entries.clear();
    this.#slots = [];
    this.#freeSlots = [];
    this.#hand = 0;
    this.#size = 0;
  }

  /** Evicts the next entry that was not read lately. There is at least one entry. */
  #evictOne(): void {
    for (let checked = 0; ; ) {
      const entry = this.#slots[this.#hand];
      this.#hand = (this.#hand + 1) % this.#slots.length;
      if (entry === undefined) continue;
      if (!entry.isRecent || checked === maxCheckedEntries) {
        this.#remove(entry);
        this.#options.onEvict(entry.key, entry.value);
        return;
      }
      entry.isRecent = false;
      checked += 1;
    }
  }

  #remove(entry: Entry<K, V>): void {
    this.#entries.delete(entry.key);
    this.#slots[entry.slot] = undefined;
    this.#freeSlots.push(entry.slot);
    this.#size -= entry.size;
  }
}
