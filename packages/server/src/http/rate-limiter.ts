import { LRUCache } from 'lru-cache';
import { type RateLimit, rateLimitedError } from '../contract/rate-limit.js';

const windowMs = 60_000;
const windowSeconds = windowMs / 1000;

// An organization is forgotten, which gives it its whole minute back, only behind so many others.
const maxOrganizations = 100_000;

interface Account {
  /** What has been used and has not come back yet, in requests × window: whole numbers only. */
  used: number;
  at: number;
}

/**
 * Lets each organization make so many requests at once; what it has used comes back evenly, all of
 * it within a minute (the generic cell rate algorithm). Nobody waits for a window to end.
 */
export class RateLimiter {
  readonly #perMinute: number;
  readonly #rule: string;
  readonly #accounts = new LRUCache<string, Account>({ max: maxOrganizations });

  /** `rule` begins the error message: "An organization may make". */
  constructor(requestsPerMinute: number, rule = 'An organization may make') {
    this.#perMinute = requestsPerMinute;
    this.#rule = rule;
  }

  /** Counts a request and tells what is left; throws RATE_LIMITED, which counts nothing. */
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
    // A clock that is set back gives nothing back, and takes nothing either.
    const passedMs = Math.max(0, now - account.at);
    account.used = Math.max(0, account.used - passedMs * this.#perMinute);
    account.at = now;
    return account;
  }
}
