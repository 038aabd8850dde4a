import { LRUCache } from 'lru-cache';
import type { ApiError } from '../contract/api-error.js';
import { rateLimitedError } from '../contract/rate-limit.js';
import { entryLimit } from '../entry-limit.js';
import { formatCount } from '../format-count.js';
import type { Clock } from '../ports.js';

/** How many attempts may fail in a window, which begins with the first one. */
export interface AttemptLimit {
  readonly attempts: number;
  readonly windowMs: number;
}

export const passwordAttempts: AttemptLimit = { attempts: 10, windowMs: 10 * 60_000 };

/**
 * The limit of failed token requests, per address. It protects secrets that an operator chose; generated
 * ones cannot be guessed. The window is short, because several clients may share an address.
 */
export const tokenAttempts: AttemptLimit = { attempts: 30, windowMs: 60_000 };

// Beyond this number, the least recently active key may make all of its attempts again.
const maxKeys = 100_000;

/**
 * Limits failed attempts per client key on this node. An attempt counts before its secret is verified, so
 * the limit holds under concurrency.
 */
export class AttemptLimiter {
  readonly #limit: AttemptLimit;
  readonly #clock: Clock;
  readonly #windows = new LRUCache<string, { failed: number; endsAt: number }>(entryLimit(maxKeys));

  constructor(limit: AttemptLimit, clock: Clock) {
    this.#limit = limit;
    this.#clock = clock;
  }

  /**
   * Counts an attempt, and returns a function that uncounts it if its secret was correct, or could not
   * be verified. Throws RATE_LIMITED while the limit is reached, also for a correct attempt.
   */
  take(clientKey: string): () => void {
    const { attempts, windowMs } = this.#limit;
    const now = this.#clock();
    const known = this.#windows.get(clientKey);
    const window = known && known.endsAt > now ? known : { failed: 0, endsAt: now + windowMs };
    if (window.failed >= attempts) throw tooManyAttempts(this.#limit, window.endsAt - now);
    window.failed += 1;
    this.#windows.set(clientKey, window);
    return () => {
      window.failed -= 1;
    };
  }
}

function tooManyAttempts({ attempts, windowMs }: AttemptLimit, waitMs: number): ApiError {
  const seconds = Math.ceil(waitMs / 1000);
  const wait =
    seconds < 90 ? formatCount(seconds, 'second') : formatCount(Math.ceil(seconds / 60), 'minute');
  return rateLimitedError(`Too many attempts. Try again in ${wait}.`, {
    limit: attempts,
    windowSeconds: windowMs / 1000,
    remaining: 0,
    resetSeconds: seconds,
  });
}
