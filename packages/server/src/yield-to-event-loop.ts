/**
 * Lets the event loop turn once. A redirect takes a twentieth of a millisecond and must not wait for
 * the whole of a long computation, so long computations call this between their parts.
 */
export function yieldToEventLoop(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

const maxSliceMs = 2;

/** Divides long work into slices of two milliseconds, with a turn of the event loop between them. */
export class TimeSlices {
  #startedAt = performance.now();

  get isOver(): boolean {
    return performance.now() - this.#startedAt >= maxSliceMs;
  }

  /** Begins the next slice after everything that is waiting. */
  async next(): Promise<void> {
    await yieldToEventLoop();
    this.#startedAt = performance.now();
  }
}
