// Bounds the time of one eviction, however many entries were read lately.
const maxCheckedEntries = 64;

interface Entry<K, V> {
  readonly key: K;
  value: V;
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
  readonly #max: number;
  readonly #onEvict: (key: K, value: V) => void;
  readonly #entries = new Map<K, Entry<K, V>>();
  #slots: (Entry<K, V> | undefined)[] = [];
  /** Slots of deleted entries. */
  #freeSlots: number[] = [];
  #hand = 0;

  constructor(max: number, onEvict: (key: K, value: V) => void) {
    this.#max = max;
    this.#onEvict = onEvict;
  }

  get(key: K): V | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    if (!entry.isRecent) entry.isRecent = true;
    return entry.value;
  }

  set(key: K, value: V): void {
    const existing = this.#entries.get(key);
    if (existing) {
      existing.value = value;
      return;
    }
    const slot = this.#takeSlot();
    const entry = { key, value, isRecent: false, slot };
    this.#slots[slot] = entry;
    this.#entries.set(key, entry);
  }

  delete(key: K): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    this.#entries.delete(key);
    this.#slots[entry.slot] = undefined;
    this.#freeSlots.push(entry.slot);
  }

  clear(): void {
    this.#entries.clear();
    this.#slots = [];
    this.#freeSlots = [];
    this.#hand = 0;
  }

  #takeSlot(): number {
    const free = this.#freeSlots.pop();
    if (free !== undefined) return free;
    return this.#slots.length < this.#max ? this.#slots.length : this.#evictOne();
  }

  /** Evicts the next entry that was not read lately and returns its slot. Every slot is in use. */
  #evictOne(): number {
    for (let checked = 0; ; checked += 1) {
      const entry = this.#slots[this.#hand] as Entry<K, V>;
      this.#hand = (this.#hand + 1) % this.#max;
      if (!entry.isRecent || checked === maxCheckedEntries) {
        this.#entries.delete(entry.key);
        this.#onEvict(entry.key, entry.value);
        return entry.slot;
      }
      entry.isRecent = false;
    }
  }
}
