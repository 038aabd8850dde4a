import { LRUCache } from 'lru-cache';

export interface AttemptLimit {
  /** Attempts that may fail within one window. */
  readonly attempts: number;
  readonly windowMs: number;
}

interface Window {
  readonly endsAt: number;
  used: number;
}

// The oldest guesser is forgotten first when more than so many guess at once.
const maxGuessers = 100_000;

/** Counts attempts before they are judged, so that a burst cannot slip in between. */
export class AttemptLimiter {
  readonly #limit: AttemptLimit;
  readonly #windows = new LRUCache<string, Window>({ max: maxGuessers });

  constructor(limit: AttemptLimit) {
    this.#limit = limit;
  }

  /**
   * Takes one attempt. Returns 0 when it may be made, otherwise the milliseconds to wait. An attempt
   * that is known to be right uses none up, but is refused as well while the limit is reached.
   */
  take(guesser: string, now: number, isRight = false): number {
    let window = this.#windows.get(guesser);
    if (!window || window.endsAt <= now) {
      window = { endsAt: now + this.#limit.windowMs, used: 0 };
      this.#windows.set(guesser, window);
    }
    if (window.used >= this.#limit.attempts) return window.endsAt - now;
    if (!isRight) window.used += 1;
    return 0;
  }

  /** Refunds an attempt that turned out to be right. */
  giveBack(guesser: string): void {
    const window = this.#windows.get(guesser);
    if (window && window.used > 0) window.used -= 1;
  }
}
