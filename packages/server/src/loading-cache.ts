import { LRUCache } from 'lru-cache';

export type LoadingCache<Value extends NonNullable<unknown>> = ReturnType<
  typeof loadingCache<Value>
>;

/**
 * Creates an LRU cache that loads missing values. Concurrent loads of a key share one call. If a key is
 * invalidated during its load, the result is not cached, and later calls start a new load. A key for which
 * `load` returns undefined is not cached.
 */
export function loadingCache<Value extends NonNullable<unknown>>(
  limits: LRUCache.Options<string, Value, unknown>,
  load: (key: string) => Promise<Value | undefined>,
) {
  const values = new LRUCache(limits);
  let loads = new Map<string, Promise<Value | undefined>>();
  /** Caches nothing of the loads in progress, whose keys are unknown. */
  const forgetLoads = () => {
    loads = new Map();
  };
  return {
    get: (key: string): Value | undefined => values.get(key),
    /** Loads a value, even if the cache has an older one. */
    load(key: string, read = () => load(key)): Promise<Value | undefined> {
      const running = loads.get(key);
      if (running) return running;
      const isCurrent = () => loads.get(key) === started;
      const started = read()
        .then((value) => {
          // No await between the check and the write, or an invalidation could be missed.
          if (value === undefined) values.delete(key);
          else if (isCurrent()) values.set(key, value);
          return value;
        })
        .finally(() => {
          if (isCurrent()) loads.delete(key);
        });
      loads.set(key, started);
      return started;
    },
    invalidate(keys: readonly string[]): void {
      for (const key of keys) {
        loads.delete(key);
        values.delete(key);
      }
    },
    forgetLoads,
    clear(): void {
      forgetLoads();
      values.clear();
    },
  };
}
