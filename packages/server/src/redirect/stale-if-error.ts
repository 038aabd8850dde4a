import { setTimeout as sleep } from 'node:timers/promises';

// How long a reader waits for a value instead of the stale one.
const maxWaitMs = 500;
const retryMs = 1_000;

/** Returns a function that reads again what a cache has; it returns the stale value while that fails or hangs. */
export function staleIfError() {
  /** When storage is read again after a failure; 0 after a success. */
  let retryAt = 0;
  return async <Value>(stale: Value, read: () => Promise<Value>): Promise<Value> => {
    const now = performance.now();
    if (now < retryAt) return stale;
    // After a failure, one reader waits for storage, and the others get stale values meanwhile.
    if (retryAt !== 0) retryAt = now + retryMs;
    const ended = new AbortController();
    const timeout = sleep(maxWaitMs, undefined, { signal: ended.signal, ref: false }).then(() => {
      throw new Error('storage does not respond');
    });
    try {
      const value = await Promise.race([read(), timeout]);
      retryAt = 0;
      return value;
    } catch {
      retryAt = performance.now() + retryMs;
      return stale;
    } finally {
      ended.abort();
    }
  };
}
