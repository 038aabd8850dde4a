import { SecondChanceMap } from '../redirect/second-chance-map.js';

/** A function of a text, whose values for short texts are remembered within bounds. */
export class Remembered<V> {
  readonly #values: SecondChanceMap<string, V>;
  readonly #maxLength: number;
  readonly #compute: (text: string) => V;

  /** Remembers `max` values, of texts of at most `maxLength` characters. */
  constructor(max: number, maxLength: number, compute: (text: string) => V) {
    this.#values = new SecondChanceMap(max, () => {});
    this.#maxLength = maxLength;
    this.#compute = compute;
  }

  get(text: string): V {
    const known = this.#values.get(text);
    if (known !== undefined) return known;
    const value = this.#compute(text);
    // What is longer is cheaper to compute again than to keep.
    if (text.length <= this.#maxLength) this.#values.set(copyOf(text), value);
    return value;
  }
}

/** V8 cuts a piece out of a text by pointing into it: kept, it would keep the whole header. */
function copyOf(text: string): string {
  return Buffer.from(text).toString();
}
