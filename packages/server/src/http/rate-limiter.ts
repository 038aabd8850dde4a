import { LRUCache } from 'lru-cache';
import { type RateLimit, rateLimitedError } from '../contract/rate-limit.js';

const windowMs = 60_000;
const windowSeconds = windowMs / 1000;

// Beyond this number, the organization that was active least recently is evicted with its count.
const maxOrganizations = 100_000;

interface Account {
  /** Used capacity, in requests × window: whole numbers only. */
  used: number;
  at: number;
}

/**
 * Limits the requests of each organization with the generic cell rate algorithm: used capacity comes
 * back evenly, all of it within a minute.
 */
export class RateLimiter {
  readonly #perMinute: number;
  readonly #rule: string;
  readonly #accounts = new LRUCache<string, Account>({ max: maxOrganizations });

  /** `rule` is the start of the error message. */
  constructor(requestsPerMinute: number, rule = 'An organization may make') {
    this.#perMinute = requestsPerMinute;
    this.#rule = rule;
  }

  /** Counts a request and returns the state of the limit. Throws RATE_LIMITED without counting it. */
  take(organizationId: string, now: number): RateLimit {
    const limit = this.#perMinute;
    const account = this.#accountOf(organizationId, now);
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

  #accountOf(organizationId: string, now: number): Account {
    let account = this.#accounts.get(organizationId);
    if (!account) {
      account = { used: 0, at: now };
      this.#accounts.set(organizationId, account);
    }
    // A clock that is set back changes nothing.
    const passedMs = Math.max(0, now - account.at);
    account.used = Math.max(0, account.used - passedMs * this.#perMinute);
    account.at = now;
    return account;
  }
}
