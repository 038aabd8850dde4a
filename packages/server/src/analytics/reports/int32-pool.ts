import { maxKeyBytes, ReportTooLargeError } from './report-limits.js';

// 32 MB.
const maxFreeNumbers = 8 * 1024 * 1024;

/**
 * Reuses the memory of large arrays. The operating system maps fresh memory page by page, which
 * takes longer than writing the numbers. Arrays are outside of V8's heap and its limit, so the pool
 * has its own limit.
 */
export class Int32Pool {
  readonly #maxBytes: number;
  /** The unused arrays, by length. */
  readonly #free = new Map<number, Int32Array[]>();
  #freeNumbers = 0;
  #usedNumbers = 0;
  #evict: () => boolean = () => false;

  constructor(maxBytes = maxKeyBytes) {
    this.#maxBytes = maxBytes;
  }

  /** Sets a function that releases arrays of a cache when memory is short. It returns false if it has none. */
  setEviction(evict: () => boolean): void {
    this.#evict = evict;
  }

  /** The bytes of all arrays that were taken and not released. */
  get usedBytes(): number {
    return this.#usedNumbers * Int32Array.BYTES_PER_ELEMENT;
  }

  /**
   * Returns an array of at least `length` numbers, with undefined content. Throws a ReportTooLargeError
   * when the arrays in use would exceed the limit.
   */
  take(length: number): Int32Array {
    const size = 2 ** Math.ceil(Math.log2(Math.max(64, length)));
    while ((this.#usedNumbers + size) * Int32Array.BYTES_PER_ELEMENT > this.#maxBytes) {
      if (this.#evict()) continue;
      throw new ReportTooLargeError(
        'The report needs more memory for its visitors than is free; choose a shorter window, or try again later',
      );
    }
    this.#usedNumbers += size;
    const array = this.#free.get(size)?.pop();
    if (!array) return new Int32Array(size);
    this.#freeNumbers -= size;
    return array;
  }

  /** Makes an array available to `take`. Its user must not access it any more. */
  release(array: Int32Array): void {
    this.#usedNumbers -= array.length;
    if (this.#freeNumbers + array.length > maxFreeNumbers) return;
    this.#freeNumbers += array.length;
    const sameLength = this.#free.get(array.length);
    if (sameLength) sameLength.push(array);
    else this.#free.set(array.length, [array]);
  }
}
