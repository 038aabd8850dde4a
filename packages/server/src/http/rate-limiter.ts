import { LRUCache } from 'lru-cache';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { type RateLimit, rateLimitedError } from '../contract/rate-limit.js';
import { entryLimit } from '../entry-limit.js';
import { formatCount } from '../format-count.js';

const windowSeconds = 60;

// Beyond this number, the least recently active key may make all of its requests again.
const maxKeys = 50_000;

export type RateLimiter = ReturnType<typeof createRateLimiter>;

/**
 * Limits the requests of each organization or address on this node, in a minute that begins with the first
 * one. `rule` begins the error message, such as "An organization may make" 60 requests a minute.
 *
 * Returns a function that counts a request of a key and returns the state of the limit. It throws
 * RATE_LIMITED beyond it.
 */
export function createRateLimiter(perMinute: number, rule: string) {
  const limiter = new RateLimiterMemory({ points: perMinute, duration: windowSeconds });
  // The limiter has no bound of its own, and a client of IPv6 has any number of addresses.
  const keys = new LRUCache<string, true>({
    ...entryLimit(maxKeys),
    dispose: (_, key) => void limiter.delete(key),
  });
  const stateOf = ({ remainingPoints, msBeforeNext }: RateLimiterRes) => ({
    ...{ limit: perMinute, windowSeconds, remaining: remainingPoints },
    resetSeconds: Math.ceil(msBeforeNext / 1000),
  });
  return async (key: string): Promise<RateLimit> => {
    keys.set(key, true);
    try {
      return stateOf(await limiter.consume(key));
    } catch (refused) {
      if (!(refused instanceof RateLimiterRes)) throw refused;
      const message = `${rule} ${formatCount(perMinute, 'request')} a minute`;
      throw rateLimitedError(message, stateOf(refused));
    }
  };
}
