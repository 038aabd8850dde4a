/**
 * What was computed of recent texts, within bounds. Two generations of entries make room all at
 * once, by dropping the older one: taking the oldest out of a Map one by one makes V8 walk over the
 * places of all those taken out before.
 */
export class RecentTexts<V> {
  readonly #maxPerGeneration: number;
  readonly #maxLength: number;
  #young = new Map<string, V>();
  #old = new Map<string, V>();

  /** Keeps at most `max` values, for texts of at most `maxLength` characters. */
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
   * Gives the value back; a text that is too long is cheaper to compute again than to keep, and one
   * with half a surrogate pair would be kept as another.
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

/** V8 cuts a piece out of a text by pointing into it: kept, it would keep the whole header. */
function copyOf(text: string): string {
  return Buffer.from(text).toString();
}
