import { LRUCache } from 'lru-cache';

/**
 * An LRU cache that loads missing values. Concurrent loads of a key share one call. If a key is
 * invalidated during its load, the result is not cached, and later calls start a new load.
 */
export class LoadingCache<Value extends NonNullable<unknown>> {
  readonly #values: LRUCache<string, Value>;
  readonly #load: (key: string) => Promise<Value | undefined>;
  #loads = new Map<string, Promise<Value | undefined>>();

  /** A key for which `load` returns undefined is not cached. */
  constructor(
    limits: LRUCache.Options<string, Value, unknown>,
    load: (key: string) => Promise<Value | undefined>,
  ) {
    this.#values = new LRUCache(limits);
    this.#load = load;
  }

  get(key: string): Value | undefined {
    return this.#values.get(key);
  }

  /** Loads a value, even if the cache has an older one. */
  load(key: string, read = () => this.#load(key)): Promise<Value | undefined> {
    const running = this.#loads.get(key);
    if (running) return running;
    const isCurrent = () => this.#loads.get(key) === load;
    const load = read()
      .then((value) => {
        // No await between the check and the write, or an invalidation could be missed.
        if (value === undefined) this.#values.delete(key);
        else if (isCurrent()) this.#values.set(key, value);
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

  /** Caches nothing of the loads in progress, whose keys are unknown. */
  forgetLoads(): void {
    this.#loads = new Map();
  }

  clear(): void {
    this.forgetLoads();
    this.#values.clear();
  }
}
