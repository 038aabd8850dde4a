import { setTimeout as sleep } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';

/**
 * An LRU cache that loads missing values. Concurrent loads of a key share one call. If a key is
 * invalidated during its load, the result is not cached, and later calls start a new load.
 */
export class LoadingCache<Value extends NonNullable<unknown>> {
  readonly #values: LRUCache<string, Value>;
  readonly #load: (key: string) => Promise<Value | undefined>;
  readonly #staleKeys = new Set<string>();
  readonly #staleIfError = new StaleIfError();
  #loads = new Map<string, Promise<Value | undefined>>();

  /** A key for which `load` returns undefined is not cached. */
  constructor(
    limits: LRUCache.Options<string, Value, unknown>,
    load: (key: string) => Promise<Value | undefined>,
  ) {
    this.#values = new LRUCache({
      ...limits,
      // Also called for a value that is replaced.
      dispose: (_, key) => this.#staleKeys.delete(key),
    });
    this.#load = load;
  }

  get(key: string): Value | undefined {
    return this.#staleKeys.has(key) ? undefined : this.#values.get(key);
  }

  /** Loads a value, even if the cache has an older one. Returns a stale value if that fails. */
  load(key: string): Promise<Value | undefined> {
    if (!this.#staleKeys.has(key)) return this.#loadOnce(key);
    return this.#staleIfError.read(this.#values.get(key), () => this.#loadOnce(key));
  }

  #loadOnce(key: string): Promise<Value | undefined> {
    const running = this.#loads.get(key);
    if (running) return running;
    const isCurrent = () => this.#loads.get(key) === load;
    const load = this.#load(key)
      .then((value) => {
        if (value === undefined && this.#staleKeys.has(key)) this.#values.delete(key);
        if (value !== undefined && isCurrent()) this.#values.set(key, value);
        return value;
      })
      .finally(() => {
        if (isCurrent()) this.#loads.delete(key);
      });
    this.#loads.set(key, load);
    return load;
  }

  invalidate(keys: readonly string[]): void {
    for (const key of keys) {
      this.#loads.delete(key);
      this.#values.delete(key);
    }
  }

  /** Makes `get` return no value until it has been loaded again. */
  markStale(): void {
    for (const key of this.#values.keys()) this.#staleKeys.add(key);
  }

  clear(): void {
    this.#loads = new Map();
    this.#values.clear();
  }
}

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
