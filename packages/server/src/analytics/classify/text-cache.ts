/**
 * Caches values by text, within bounds. Entries are in two generations; when the younger one is full,
 * the older one is dropped. An LRU cache in a Map is slower: V8 scans the deleted entries.
 */
export class TextCache<V> {
  readonly #maxPerGeneration: number;
  readonly #maxLength: number;
  #young = new Map<string, V>();
  #old = new Map<string, V>();

  /** Caches at most `max` values, of texts of at most `maxLength` characters. */
  constructor(max: number, maxLength: number) {
    this.#maxPerGeneration = Math.ceil(max / 2);
    this.#maxLength = maxLength;
  }

  get(text: string): V | undefined {
    const young = this.#young.get(text);
    if (young !== undefined) return young;
    const old = this.#old.get(text);
    if (old !== undefined) this.set(text, old);
    return old;
  }

  /**
   * Returns the value. Does not cache it when the text is too long, or when it has half a surrogate
   * pair, which the copy would replace.
   */
  set(text: string, value: V): V {
    if (text.length > this.#maxLength || !text.isWellFormed()) return value;
    if (this.#young.size >= this.#maxPerGeneration) {
      this.#old = this.#young;
      this.#young = new Map();
    }
    this.#young.set(copyOf(text), value);
    return value;
  }
}

/** Copies a text. A slice of a header points into the header and would retain all of it. */
function copyOf(text: string): string {
  return Buffer.from(text).toString();
}
