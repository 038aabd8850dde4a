// A phone on a bad network sends faster than this. A body of 4 MB at this rate would exceed the
// time limit of the whole request anyway.
const minBytesPerSecond = 8 * 1024;

/**
 * Detects a body that arrives more slowly than 8 KB a second, after a time of grace. Such a body
 * must not hold a slot that others wait for.
 */
export class StallTimer {
  readonly #graceMs: number;
  readonly #onStall: () => void;
  #timer: NodeJS.Timeout | undefined;
  #startedAt = 0;
  #received = 0;

  constructor(graceMs: number, onStall: () => void) {
    this.#graceMs = graceMs;
    this.#onStall = onStall;
  }

  /** Starts the measurement; does nothing when it has started. */
  start(): void {
    if (this.#timer) return;
    this.#startedAt = performance.now();
    this.#schedule(this.#graceMs);
  }

  add(bytes: number): void {
    this.#received += bytes;
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  #schedule(ms: number): void {
    this.#timer = setTimeout(() => {
      const allowedMs = this.#graceMs + (this.#received / minBytesPerSecond) * 1000;
      const remainingMs = allowedMs - (performance.now() - this.#startedAt);
      if (remainingMs > 0) this.#schedule(remainingMs);
      else this.#onStall();
    }, ms);
  }
}
