import { setTimeout as sleep } from 'node:timers/promises';

// How long a reader waits for a value instead of the stale one.
const maxWaitMs = 500;
const retryMs = 1_000;

/** Reads what a cache has again, and returns the stale value while storage fails or does not respond. */
export class StaleIfError {
  /** When storage is read again after a failure; 0 after a success. */
  #retryAt = 0;

  async read<Value>(stale: Value, read: () => Promise<Value>): Promise<Value> {
    const now = performance.now();
    if (now < this.#retryAt) return stale;
    // After a failure, one reader waits for storage, and the others get stale values meanwhile.
    if (this.#retryAt !== 0) this.#retryAt = now + retryMs;
    const ended = new AbortController();
    const timeout = sleep(maxWaitMs, undefined, { signal: ended.signal, ref: false }).then(() => {
      throw new Error('storage does not respond');
    });
    try {
      const value = await Promise.race([read(), timeout]);
      this.#retryAt = 0;
      return value;
    } catch {
      this.#retryAt = performance.now() + retryMs;
      return stale;
    } finally {
      ended.abort();
    }
  }
}
