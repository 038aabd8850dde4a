import { LRUCache } from 'lru-cache';
import type { Link } from './link.js';

export interface LinkCacheOptions {
  /** The maximum number of links; 100,000 by default. */
  readonly max?: number;
  /** The maximum sum of the characters of all links; 64 Mi by default. */
  readonly maxCharacters?: number;
  /** Reads a link from storage. */
  readonly load: (domainId: string | null, key: string) => Promise<Link | undefined>;
}

const defaultMax = 100_000;
// A Location with UTM parameters has up to 140,000 characters, each of which is one byte.
const defaultMaxCharacters = 64 * 1024 * 1024;

interface Load {
  readonly link: Promise<Link | undefined>;
  /** The ids of the links that were invalidated since the read began. */
  readonly invalidated: Set<number | 'all'>;
}

/**
 * Caches links for redirects. Entries do not expire: a change of a link invalidates it. After
 * `invalidate` returns, no request gets the old link, because loads in progress are repeated.
 */
export class LinkCache {
  // A link has several cache keys: its code and its slug, on each domain that it was on. None of them
  // ever leads to another link.
  readonly #ids: LRUCache<string, number>;
  readonly #links: LRUCache<number, Link>;
  readonly #load: LinkCacheOptions['load'];
  readonly #loads = new Map<string, Load>();

  constructor({ max = defaultMax, maxCharacters = defaultMaxCharacters, load }: LinkCacheOptions) {
    this.#load = load;
    this.#ids = new LRUCache({ max });
    this.#links = new LRUCache({ max, maxSize: maxCharacters, sizeCalculation: charactersOf });
  }

  /** Returns a cached link by its path: `/` and a key. */
  peek(domainId: string | null, path: string): Link | undefined {
    const cacheKey = domainId === null ? path : domainId + path;
    // Moving an entry to the front takes longer than reading it, and the order only matters when
    // entries are evicted.
    const { max, maxSize, size, calculatedSize } = this.#links;
    const isMoved = 2 * Math.max(this.#ids.size, size) > max || 2 * calculatedSize > maxSize;
    const urlId = isMoved ? this.#ids.get(cacheKey) : this.#ids.peek(cacheKey);
    if (urlId === undefined) return undefined;
    return isMoved ? this.#links.get(urlId) : this.#links.peek(urlId);
  }

  /** Reads a link from storage and caches it. Concurrent calls for the same key share one read. */
  load(domainId: string | null, key: string): Promise<Link | undefined> {
    const cacheKey = `${domainId ?? ''}/${key}`;
    const running = this.#loads.get(cacheKey);
    if (running) return running.link;
    const invalidated: Load['invalidated'] = new Set();
    const link = this.#read(() => this.#load(domainId, key), cacheKey, invalidated);
    this.#loads.set(cacheKey, { link, invalidated });
    const settle = () => this.#loads.delete(cacheKey);
    link.then(settle, settle);
    return link;
  }

  /** Evicts links by the ids of their records. */
  invalidate(urlIds: readonly number[]): void {
    for (const urlId of urlIds) {
      for (const { invalidated } of this.#loads.values()) invalidated.add(urlId);
      this.#links.delete(urlId);
    }
  }

  /** Evicts all links. */
  clear(): void {
    for (const { invalidated } of this.#loads.values()) invalidated.add('all');
    this.#links.clear();
    this.#ids.clear();
  }

  async #read(
    load: () => Promise<Link | undefined>,
    cacheKey: string,
    invalidated: Load['invalidated'],
  ): Promise<Link | undefined> {
    for (;;) {
      const link = await load();
      const isOutdated = invalidated.has('all') || (link && invalidated.has(link.urlId));
      invalidated.clear();
      if (isOutdated) continue;
      // No await between the check and the write, or an invalidation could be missed.
      if (link) {
        this.#ids.set(cacheKey, link.urlId);
        this.#links.set(link.urlId, link);
      }
      return link;
    }
  }
}

/** Counts the characters of the texts whose length the owner of a link chooses. */
function charactersOf({ location, targetName }: Link): number {
  const target = targetName ? targetName.hostname.length + targetName.key.length : 0;
  return location.length + target;
}
