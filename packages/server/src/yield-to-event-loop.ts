/**
 * Lets the event loop turn once. Long computations call it between their parts, so that redirects,
 * which take 0.05 ms, do not wait for the whole computation.
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

  /** Starts the next slice after a turn of the event loop. */
  async next(): Promise<void> {
    await yieldToEventLoop();
    this.#startedAt = performance.now();
  }
}
