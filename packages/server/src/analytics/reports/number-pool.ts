// 32 MB.
const maxKept = 8 * 1024 * 1024;

/**
 * Runs of numbers to be used again: the system hands out fresh memory page by page, which takes
 * longer than to write into it.
 */
export class NumberPool {
  readonly #free = new Map<number, Int32Array[]>();
  #kept = 0;

  /** At least `length` numbers, whatever they are. */
  take(length: number): Int32Array {
    const size = 2 ** Math.ceil(Math.log2(Math.max(64, length)));
    const run = this.#free.get(size)?.pop();
    if (!run) return new Int32Array(size);
    this.#kept -= size;
    return run;
  }

  giveBack(run: Int32Array): void {
    if (this.#kept + run.length > maxKept) return;
    this.#kept += run.length;
    const alike = this.#free.get(run.length);
    if (alike) alike.push(run);
    else this.#free.set(run.length, [run]);
  }
}
