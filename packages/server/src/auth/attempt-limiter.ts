import { LRUCache } from 'lru-cache';
import type { ApiError } from '../contract/api-error.js';
import { rateLimitedError } from '../contract/rate-limit.js';
import { entryLimit } from '../entry-limit.js';

/** The failed attempts that are allowed in one window. */
type AttemptLimit = Readonly<Record<'attempts' | 'windowMs', number>>;

/** The limit of wrong link passwords, per link and address. */
export const passwordAttempts: AttemptLimit = { attempts: 10, windowMs: 10 * 60_000 };

/**
 * The limit of failed token requests, per address. It protects secrets that an operator chose; generated
 * ones cannot be guessed. The window is short, because several clients may share an address.
 */
export const tokenAttempts: AttemptLimit = { attempts: 30, windowMs: 60_000 };

interface Window {
  readonly endsAt: number;
  used: number;
}

// Beyond this number, the least recently used entry is evicted.
const maxKeys = 100_000;

/**
 * Limits failed attempts per client key, in fixed windows. An attempt counts before its secret is
 * verified, so the limit holds under concurrency.
 */
export class AttemptLimiter {
  readonly #limit: AttemptLimit;
  readonly #windows = new LRUCache<string, Window>(entryLimit(maxKeys));

  constructor(limit: AttemptLimit) {
    this.#limit = limit;
  }

  /**
   * Counts an attempt. Returns 0 when it is allowed, otherwise the milliseconds to wait. A correct
   * attempt is not counted, but it is refused too while the limit is reached.
   */
  take(clientKey: string, now: number, isCorrect = false): number {
    let window = this.#windows.get(clientKey);
    if (!window || window.endsAt <= now) {
      window = { endsAt: now + this.#limit.windowMs, used: 0 };
      this.#windows.set(clientKey, window);
    }
    if (window.used >= this.#limit.attempts) return window.endsAt - now;
    if (!isCorrect) window.used += 1;
    return 0;
  }

  /** Uncounts an attempt whose secret was correct, or could not be verified. */
  refund(clientKey: string): void {
    const window = this.#windows.get(clientKey);
    if (window && window.used > 0) window.used -= 1;
  }
}

/** Returns RATE_LIMITED for a client key with too many failed attempts. */
export function tooManyAttempts({ attempts, windowMs }: AttemptLimit, waitMs: number): ApiError {
  const seconds = Math.ceil(waitMs / 1000);
  const wait = seconds < 90 ? `${seconds} seconds` : `${Math.ceil(seconds / 60)} minutes`;
  return rateLimitedError(`Too many attempts. Try again in ${wait}.`, {
    limit: attempts,
    windowSeconds: windowMs / 1000,
    remaining: 0,
    resetSeconds: seconds,
  });
}
