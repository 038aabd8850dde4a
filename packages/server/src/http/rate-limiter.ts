import { LRUCache } from 'lru-cache';
import { type RateLimit, rateLimitedError } from '../contract/rate-limit.js';
import { entryLimit } from '../entry-limit.js';
import { formatCount } from '../format-count.js';
import type { Grant, Limit, LimitStore } from '../storage/limits.js';

const windowMs = 60_000;

// Beyond this number, the least recently active key of a node loses its leased requests.
const maxKeys = 100_000;

// A node leases a hundredth of the limit in advance, at most.
const leasesPerLimit = 100;

export interface RateLimiterOptions {
  readonly name: string;
  readonly perMinute: number;
  /** Begins the error message, such as "An organization may make" 60 requests a minute. */
  readonly rule: string;
  readonly store: LimitStore;
}

/** A request that waits for a grant. */
interface Waiting {
  resolve(state: RateLimit): void;
  reject(error: unknown): void;
}

/** The requests of a key that this node may accept without asking the store. */
interface Lease {
  requests: number;
  /** The state of the limit when they were granted. */
  grant: Grant | undefined;
  /** Requests are refused until then. */
  refusedUntil: number;
  readonly waiting: Waiting[];
  isAsking: boolean;
}

/**
 * Limits the requests of each organization or address. Used capacity is restored evenly, all of it
 * within a minute.
 *
 * If several nodes share the store, each leases a hundredth of the limit in advance, so that most
 * requests need no statement. In t minutes, n nodes accept at most limit × (1 + t) requests of a key,
 * and those that they had leased before: n × ⌊limit ÷ 100⌋.
 */
export class RateLimiter {
  readonly #limit: Limit;
  readonly #rule: string;
  readonly #store: LimitStore;
  readonly #inAdvance: number;
  readonly #leases = new LRUCache<string, Lease>(entryLimit(maxKeys));

  constructor({ name, perMinute, rule, store }: RateLimiterOptions) {
    this.#limit = { name, units: perMinute, windowMs, restores: 'evenly' };
    this.#rule = rule;
    this.#store = store;
    this.#inAdvance = Math.floor(perMinute / leasesPerLimit);
  }

  /**
   * Counts a request of a key and returns the state of the limit. Throws RATE_LIMITED when the limit is
   * reached, and what the store throws.
   */
  async take(key: string, now: number): Promise<RateLimit> {
    if (!this.#store.isShared) {
      const grant = await this.#store.take(this.#limit, key, 1);
      if (grant.granted === 0) throw this.#refusal(grant.waitMs);
      return stateOf(this.#limit, grant, 0);
    }
    const lease = this.#leaseOf(key);
    const { grant, refusedUntil } = lease;
    if (grant && lease.requests > 0 && lease.waiting.length === 0) {
      lease.requests -= 1;
      return stateOf(this.#limit, grant, lease.requests);
    }
    // The capacity that the store waits for is restored no sooner.
    if (now < refusedUntil) throw this.#refusal(refusedUntil - now);
    return new Promise((resolve, reject) => {
      lease.waiting.push({ resolve, reject });
      if (!lease.isAsking) void this.#ask(key, lease, now);
    });
  }

  /** Asks the store until no request waits. */
  async #ask(key: string, lease: Lease, now: number): Promise<void> {
    lease.isAsking = true;
    while (lease.waiting.length > 0) {
      try {
        const asked = lease.waiting.length + this.#inAdvance;
        const grant = await this.#store.take(this.#limit, key, asked);
        lease.grant = grant;
        lease.requests += grant.granted;
        lease.refusedUntil = grant.left > 0 ? 0 : now + grant.waitMs;
        for (const { resolve } of lease.waiting.splice(0, lease.requests)) {
          lease.requests -= 1;
          resolve(stateOf(this.#limit, grant, lease.requests));
        }
        if (grant.granted === asked) continue;
        for (const { reject } of lease.waiting.splice(0)) reject(this.#refusal(grant.waitMs));
      } catch (error) {
        // Those that arrived meanwhile, too: their timeouts would add up.
        for (const { reject } of lease.waiting.splice(0)) reject(error);
      }
    }
    lease.isAsking = false;
  }

  #leaseOf(key: string): Lease {
    const known = this.#leases.get(key);
    if (known) return known;
    const lease = { requests: 0, grant: undefined, refusedUntil: 0, waiting: [], isAsking: false };
    this.#leases.set(key, lease);
    return lease;
  }

  #refusal(waitMs: number): Error {
    const { units } = this.#limit;
    return rateLimitedError(`${this.#rule} ${formatCount(units, 'request')} a minute`, {
      limit: units,
      windowSeconds: windowMs / 1000,
      remaining: 0,
      resetSeconds: Math.ceil(waitMs / 1000),
    });
  }
}

/** Returns the state of a limit after a grant of which some requests are left. */
function stateOf({ units }: Limit, { used, left }: Grant, requests: number): RateLimit {
  return {
    limit: units,
    windowSeconds: windowMs / 1000,
    remaining: left + requests,
    resetSeconds: Math.ceil((used - requests * windowMs) / units / 1000),
  };
}
