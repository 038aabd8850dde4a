// A phone on a slow network sends faster than this. At this rate, a body of 4 MB exceeds the time limit
// of the whole request anyway.
const minBytesPerSecond = 8 * 1024;

/**
 * Detects a body that arrives more slowly than 8 KB a second, after a grace period. Such a body must
 * not hold a slot for which other requests wait.
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

  /** Starts the grace period. Further calls do nothing. */
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
