import { LRUCache } from 'lru-cache';
import { type RateLimit, rateLimitedError } from '../contract/rate-limit.js';
import { entryLimit } from '../entry-limit.js';

const windowMs = 60_000;
const windowSeconds = windowMs / 1000;

// Beyond this number, the least recently active entry is evicted.
const maxKeys = 100_000;

interface Account {
  /** Used capacity in requests × window, which stays a whole number. */
  used: number;
  updatedAt: number;
}

/**
 * Limits the requests of each organization or address with the generic cell rate algorithm (GCRA).
 * Used capacity is restored evenly, all of it within a minute.
 */
export class RateLimiter {
  readonly #perMinute: number;
  readonly #rule: string;
  readonly #accounts = new LRUCache<string, Account>(entryLimit(maxKeys));

  /** `rule` begins the error message, such as "An organization may make 60 requests a minute". */
  constructor(requestsPerMinute: number, rule = 'An organization may make') {
    this.#perMinute = requestsPerMinute;
    this.#rule = rule;
  }

  /** Counts a request of a key and returns the state of the limit; throws RATE_LIMITED when it is reached. */
  take(key: string, now: number): RateLimit {
    const limit = this.#perMinute;
    const account = this.#accountOf(key, now);
    const left = limit * windowMs - account.used;
    if (left < windowMs) {
      const waitMs = (windowMs - left) / limit;
      throw rateLimitedError(`${this.#rule} ${limit} requests a minute`, {
        limit,
        windowSeconds,
        remaining: 0,
        resetSeconds: Math.ceil(waitMs / 1000),
      });
    }
    account.used += windowMs;
    return {
      limit,
      windowSeconds,
      remaining: Math.floor(left / windowMs) - 1,
      resetSeconds: Math.ceil(account.used / limit / 1000),
    };
  }

  #accountOf(key: string, now: number): Account {
    const account = this.#accounts.get(key) ?? { used: 0, updatedAt: now };
    this.#accounts.set(key, account);
    // The clock may be set back.
    const passedMs = Math.max(0, now - account.updatedAt);
    account.used = Math.max(0, account.used - passedMs * this.#perMinute);
    account.updatedAt = now;
    return account;
  }
}
