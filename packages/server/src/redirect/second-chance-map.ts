// However many entries are in use, one visitor's miss pays for no more than this.
const maxPassedOver = 64;

interface Entry<V> {
  readonly value: V;
  /** Asked for since it was last passed over. */
  isRecent: boolean;
}

/**
 * A bounded map that gives up what was not asked for lately. A hit costs a look-up and at most one
 * flag: keeping entries in the order of their use, as an LRU list does, costs every redirect more
 * than the look-up itself.
 */
export class SecondChanceMap<K, V> {
  readonly #max: number;
  readonly #onEvict: (key: K, value: V) => void;
  readonly #entries = new Map<K, Entry<V>>();

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
    this.#entries.delete(key);
    while (this.#entries.size >= this.#max) this.#evictOne();
    this.#entries.set(key, { value, isRecent: false });
  }

  delete(key: K): void {
    this.#entries.delete(key);
  }

  clear(): void {
    this.#entries.clear();
  }

  /** The oldest entry that nobody asked for; those before it go to the end of the queue. */
  #evictOne(): void {
    let passedOver = 0;
    for (const [key, entry] of this.#entries) {
      this.#entries.delete(key);
      if (!entry.isRecent || passedOver === maxPassedOver) {
        this.#onEvict(key, entry.value);
        return;
      }
      passedOver += 1;
      entry.isRecent = false;
      this.#entries.set(key, entry);
    }
  }
}
