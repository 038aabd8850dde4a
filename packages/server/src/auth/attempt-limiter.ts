import type { ApiError } from '../contract/api-error.js';
import { rateLimitedError } from '../contract/rate-limit.js';
import { formatCount } from '../format-count.js';
import { StorageUnavailableError } from '../storage/database.js';
import type { Limit, LimitStore } from '../storage/limits.js';

/** The limit of wrong link passwords, per link and address. */
export const passwordAttempts: Limit = {
  name: 'link passwords',
  units: 10,
  windowMs: 10 * 60_000,
  restores: 'at once',
};

/**
 * The limit of failed token requests, per address. It protects secrets that an operator chose; generated
 * ones cannot be guessed. The window is short, because several clients may share an address.
 */
export const tokenAttempts: Limit = {
  name: 'secrets',
  units: 30,
  windowMs: 60_000,
  restores: 'at once',
};

/**
 * Limits failed attempts per client key, in fixed windows. An attempt counts before its secret is
 * verified, so the limit holds under concurrency, and on all nodes together.
 */
export class AttemptLimiter {
  readonly #limit: Limit;
  readonly #store: LimitStore;

  constructor(limit: Limit, store: LimitStore) {
    this.#limit = limit;
    this.#store = store;
  }

  /**
   * Counts an attempt, and returns a function that uncounts it if its secret was correct, or could not
   * be verified. Throws RATE_LIMITED while the limit is reached, also for a correct attempt. One that is
   * known to be correct is not counted.
   */
  async take(clientKey: string, isCorrect = false): Promise<() => Promise<void>> {
    const asked = isCorrect ? 0 : 1;
    const grant = await this.#store.take(this.#limit, clientKey, asked);
    const isAllowed = isCorrect ? grant.left > 0 : grant.granted > 0;
    if (!isAllowed) throw tooManyAttempts(this.#limit, grant.waitMs);
    return async () => {
      try {
        await this.#store.refund(this.#limit, clientKey, grant);
      } catch (error) {
        // Then the attempt stays counted until the end of its window.
        if (!(error instanceof StorageUnavailableError)) throw error;
      }
    };
  }
}

/** Returns RATE_LIMITED for a client key with too many failed attempts. */
function tooManyAttempts({ units, windowMs }: Limit, waitMs: number): ApiError {
  const seconds = Math.ceil(waitMs / 1000);
  const wait =
    seconds < 90 ? formatCount(seconds, 'second') : formatCount(Math.ceil(seconds / 60), 'minute');
  return rateLimitedError(`Too many attempts. Try again in ${wait}.`, {
    limit: units,
    windowSeconds: windowMs / 1000,
    remaining: 0,
    resetSeconds: seconds,
  });
}
