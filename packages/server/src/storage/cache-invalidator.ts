import type { Change } from './database.js';

/** A cache of records that another node may change. */
export interface Invalidatable {
  /** Evicts these records, and the results of reads in progress. */
  invalidate(keys: readonly string[]): void;
  /** Evicts everything. */
  clear(): void;
}

/**
 * Evicts the records that other nodes have changed from the caches of this node. A service evicts
 * its own changes itself, before the response is sent.
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

  /** Evicts everything, for when changes may have been missed. */
  clear(): void {
    for (const cache of this.#caches.values()) cache.clear();
  }
}
