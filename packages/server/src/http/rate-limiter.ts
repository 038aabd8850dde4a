import { LRUCache } from 'lru-cache';
import { type RateLimit, rateLimitedError } from '../contract/rate-limit.js';
import { entryLimit } from '../entry-limit.js';
import { formatCount } from '../format-count.js';

const windowMs = 60_000;

// Beyond this number, the least recently active key may make all of its requests again.
const maxKeys = 100_000;

/** What a key had used at a time, in requests × the window in milliseconds, which is a whole number. */
interface Usage {
  readonly used: number;
  readonly at: number;
}

export type RateLimiter = ReturnType<typeof createRateLimiter>;

/**
 * Limits the requests of each organization or address on this node. Used requests are restored at a
 * constant rate, all of them within a minute: the generic cell rate algorithm. `rule` begins the error
 * message, such as "An organization may make" 60 requests a minute.
 */
export function createRateLimiter(perMinute: number, rule: string) {
  const usages = new LRUCache<string, Usage>(entryLimit(maxKeys));
  const toSeconds = (units: number) => Math.ceil(Math.ceil(units / perMinute) / 1000);
  const limit = { limit: perMinute, windowSeconds: windowMs / 1000 };
  return {
    /** Counts a request of a key and returns the state of the limit. Throws RATE_LIMITED beyond it. */
    take(key: string, now: number): RateLimit {
      const before = usages.get(key) ?? { used: 0, at: now };
      // The clock may be set back.
      const restored = Math.max(0, now - before.at) * perMinute;
      const used = Math.max(0, before.used - restored) + windowMs;
      const excess = used - perMinute * windowMs;
      if (excess > 0) {
        const message = `${rule} ${formatCount(perMinute, 'request')} a minute`;
        const resetSeconds = toSeconds(excess);
        throw rateLimitedError(message, { ...limit, remaining: 0, resetSeconds });
      }
      usages.set(key, { used, at: now });
      const remaining = Math.floor((perMinute * windowMs - used) / windowMs);
      return { ...limit, remaining, resetSeconds: toSeconds(used) };
    },
  };
}
