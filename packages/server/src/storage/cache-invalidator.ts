import type { Change } from './database.js';

/** A cache of records that another node may change. */
export interface Invalidatable {
  /** Evicts what was read of these records, and what is being read of them. */
  invalidate(keys: readonly string[]): void;
  /** Evicts everything. */
  clear(): void;
}

/**
 * Evicts from the caches of this node what other nodes have changed. A service evicts what it
 * changes itself by a call to its cache, before the response is sent.
 */
export class CacheInvalidator {
  readonly #caches: ReadonlyMap<Change['kind'], Invalidatable>;

  constructor(caches: Readonly<Record<Change['kind'], Invalidatable>>) {
    this.#caches = new Map(Object.entries(caches) as (readonly [Change['kind'], Invalidatable])[]);
  }

  invalidate(changes: readonly Change[]): void {
    for (const [kind, cache] of this.#caches) {
      const keys = changes.flatMap((change) => (change.kind === kind ? [change.key] : []));
      if (keys.length > 0) cache.invalidate([...new Set(keys)]);
    }
  }

  /** For when changes may have been missed. */
  clear(): void {
    for (const cache of this.#caches.values()) cache.clear();
  }
}
