// However many entries are in use, one visitor's miss pays for no more than this.
const maxPassedOver = 64;

interface Entry<K, V> {
  readonly key: K;
  value: V;
  /** Asked for since the hand last passed it over. */
  isRecent: boolean;
  readonly place: number;
}

/**
 * A bounded map that gives up what was not asked for lately. A hit costs a look-up and at most one
 * flag: keeping entries in the order of their use, as an LRU list does, costs every redirect more
 * than the look-up itself. A hand goes round the places to find who gives way, and the Map is only
 * asked by key: taking its oldest entry out has V8 walk over all that were taken out before.
 */
export class SecondChanceMap<K, V> {
  readonly #max: number;
  readonly #onEvict: (key: K, value: V) => void;
  readonly #entries = new Map<K, Entry<K, V>>();
  #places: (Entry<K, V> | undefined)[] = [];
  /** Places whose entries were deleted. */
  #free: number[] = [];
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
    const known = this.#entries.get(key);
    if (known) {
      known.value = value;
      return;
    }
    const place = this.#findPlace();
    const entry = { key, value, isRecent: false, place };
    this.#places[place] = entry;
    this.#entries.set(key, entry);
  }

  delete(key: K): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    this.#entries.delete(key);
    this.#places[entry.place] = undefined;
    this.#free.push(entry.place);
  }

  clear(): void {
    this.#entries.clear();
    this.#places = [];
    this.#free = [];
    this.#hand = 0;
  }

  #findPlace(): number {
    const free = this.#free.pop();
    if (free !== undefined) return free;
    return this.#places.length < this.#max ? this.#places.length : this.#evictOne();
  }

  /** The first entry before the hand that nobody asked for gives way; its place. Every place is taken. */
  #evictOne(): number {
    for (let passedOver = 0; ; passedOver += 1) {
      const entry = this.#places[this.#hand] as Entry<K, V>;
      this.#hand = (this.#hand + 1) % this.#max;
      if (!entry.isRecent || passedOver === maxPassedOver) {
        this.#entries.delete(entry.key);
        this.#onEvict(entry.key, entry.value);
        return entry.place;
      }
      entry.isRecent = false;
    }
  }
}
