import { LRUCache } from 'lru-cache';
import { foldKey } from '../storage/fold-keys.js';
import { erasedUrlId, type Link } from './link.js';
import { StaleIfError } from './stale-if-error.js';

export interface LinkCacheOptions {
  readonly maxBytes: number;
  readonly load: (
    domainId: string | null,
    key: string,
    folds: boolean,
  ) => Promise<Link | undefined>;
}

// What a link takes without its texts. Half of it are the maps, which double their size when they are full.
export const bytesPerLink = 640;
// Objects take more than their JSON: an upper bound by a measurement of links with 5 rules.
const bytesPerJsonCharacter = 6;

interface Entry {
  readonly link: Link;
  /** The version of the cache when its read began. */
  readonly version: number;
}

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
  readonly #load: LinkCacheOptions['load'];
  readonly #entries: LRUCache<string, Entry>;
  /** The keys of each cached link: of its short code and its slug, on each domain that it was on. */
  readonly #keys = new Map<number, readonly string[]>();
  readonly #loads = new Map<string, Load>();
  readonly #staleIfError = new StaleIfError();
  #version = 0;
  /** Entries of earlier versions are stale. */
  #staleBefore = 0;
  /** Entries of organizations of earlier versions are outdated. So eviction takes no search. */
  readonly #outdatedBefore = new Map<string, number>();

  constructor({ maxBytes, load }: LinkCacheOptions) {
    this.#load = load;
    this.#entries = new LRUCache({
      maxSize: maxBytes,
      sizeCalculation: ({ link }, cacheKey) => bytesOf(link) + cacheKey.length,
      // Also called for an entry that is replaced.
      dispose: ({ link }, cacheKey) => this.#removeKey(link.urlId, cacheKey),
    });
  }

  /** Returns a cached link by its path: `/` and a key. */
  peek(domainId: string | null, path: string): Link | undefined {
    const entry = this.#entries.get(domainId === null ? path : domainId + path);
    return entry && this.#isCurrent(entry, this.#staleBefore) ? entry.link : undefined;
  }

  /**
   * Reads a link from storage and caches it. Concurrent calls for the same key share one read. Returns a
   * stale link if the read fails. With `folds`, the key may be in any case.
   */
  load(domainId: string | null, typed: string, folds = false): Promise<Link | undefined> {
    const key = folds ? foldKey(typed) : typed;
    const cacheKey = `${domainId ?? ''}/${key}`;
    const entry = this.#entries.peek(cacheKey);
    const read = () => this.#loadOnce(cacheKey, () => this.#load(domainId, key, folds));
    return entry && this.#isCurrent(entry) ? this.#staleIfError.read(entry.link, read) : read();
  }

  invalidate(urlIds: readonly number[]): void {
    for (const urlId of urlIds) {
      for (const { invalidated } of this.#loads.values()) invalidated.add(urlId);
      for (const cacheKey of this.#keys.get(urlId) ?? []) this.#entries.delete(cacheKey);
    }
  }

  invalidateOrganizations(ids: readonly string[]): void {
    for (const { invalidated } of this.#loads.values()) invalidated.add('all');
    this.#version += 1;
    for (const id of ids) this.#outdatedBefore.set(id, this.#version);
  }

  /** Makes `peek` return no link until it has been read again. */
  markStale(): void {
    this.#version += 1;
    this.#staleBefore = this.#version;
  }

  clear(): void {
    for (const { invalidated } of this.#loads.values()) invalidated.add('all');
    this.#entries.clear();
  }

  #loadOnce(cacheKey: string, load: () => Promise<Link | undefined>): Promise<Link | undefined> {
    const running = this.#loads.get(cacheKey);
    if (running) return running.link;
    const invalidated: Load['invalidated'] = new Set();
    const link = this.#read(cacheKey, load, invalidated);
    this.#loads.set(cacheKey, { link, invalidated });
    const settle = () => this.#loads.delete(cacheKey);
    link.then(settle, settle);
    return link;
  }

  async #read(
    cacheKey: string,
    load: () => Promise<Link | undefined>,
    invalidated: Load['invalidated'],
  ): Promise<Link | undefined> {
    for (;;) {
      const version = this.#version;
      const link = await load();
      const isOutdated = invalidated.has('all') || (link && invalidated.has(link.urlId));
      invalidated.clear();
      if (isOutdated) continue;
      // No await between the check and the write, or an invalidation could be missed.
      if (!link || link.urlId === erasedUrlId) this.#entries.delete(cacheKey);
      else this.#add(cacheKey, { link, version });
      return link;
    }
  }

  #isCurrent({ link, version }: Entry, staleBefore = 0): boolean {
    const outdatedBefore = this.#outdatedBefore.get(link.organizationId) ?? 0;
    return version >= staleBefore && version >= outdatedBefore;
  }

  #add(cacheKey: string, entry: Entry): void {
    const { urlId } = entry.link;
    this.#entries.set(cacheKey, entry);
    // A link that exceeds the limit is not cached.
    if (!this.#entries.has(cacheKey)) return;
    this.#keys.set(urlId, [...(this.#keys.get(urlId) ?? []), cacheKey]);
  }

  #removeKey(urlId: number, cacheKey: string): void {
    const others = this.#keys.get(urlId)?.filter((key) => key !== cacheKey) ?? [];
    if (others.length > 0) this.#keys.set(urlId, others);
    else this.#keys.delete(urlId);
  }
}

/** Returns an upper bound of the memory that a link takes. */
function bytesOf({ location, fallback, passwordHash, rules, ...link }: Link): number {
  // A Location with UTM parameters has up to 140,000 characters, each of which is one byte.
  const texts = location.length + (fallback?.length ?? 0) + (passwordHash?.length ?? 0);
  const { campaign, clickLimit, forwarding, preview } = link;
  const objects = [campaign, clickLimit, forwarding, preview, rules?.list, rules?.utm];
  const json = objects.reduce((sum, each) => sum + (each ? JSON.stringify(each).length : 0), 0);
  return bytesPerLink + texts + bytesPerJsonCharacter * json;
}
