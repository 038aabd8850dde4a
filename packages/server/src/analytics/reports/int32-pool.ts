// 32 MB.
const maxFreeNumbers = 8 * 1024 * 1024;

/**
 * Reuses the memory of large arrays. The operating system maps fresh memory page by page, which
 * takes longer than writing the numbers.
 */
export class Int32Pool {
  /** The unused arrays, by length. */
  readonly #free = new Map<number, Int32Array[]>();
  #freeNumbers = 0;

  /** Returns an array of at least `length` numbers, with any content. */
  take(length: number): Int32Array {
    const size = 2 ** Math.ceil(Math.log2(Math.max(64, length)));
    const array = this.#free.get(size)?.pop();
    if (!array) return new Int32Array(size);
    this.#freeNumbers -= size;
    return array;
  }

  /** Makes an array available to `take`. Its user must not access it any more. */
  release(array: Int32Array): void {
    if (this.#freeNumbers + array.length > maxFreeNumbers) return;
    this.#freeNumbers += array.length;
    const sameLength = this.#free.get(array.length);
    if (sameLength) sameLength.push(array);
    else this.#free.set(array.length, [array]);
  }
}
