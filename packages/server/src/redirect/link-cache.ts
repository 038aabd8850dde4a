import { LRUCache } from 'lru-cache';
import { StaleIfError } from '../stale-if-error.js';
import { foldKey } from '../storage/fold-keys.js';
import { erasedUrlId, type Link } from './link.js';

export interface LinkCacheOptions {
  /** The maximum memory of all links. */
  readonly maxBytes: number;
  /** Reads a link from storage. */
  readonly load: (
    domainId: string | null,
    key: string,
    folds: boolean,
  ) => Promise<Link | undefined>;
}

// What a link takes without its characters, at most, by `npm run bench cache-simulation`. Half of it are
// the maps of the cache, which double their size when they are full.
export const bytesPerLink = 560;
const bytesOfObjects = 100;
const bytesPerCampaign = 200;
// Objects take more than their JSON: an upper bound by a measurement of links with 5 rules.
const bytesPerRuleCharacter = 6;

interface CachedLink {
  readonly link: Link;
  readonly cacheKey: string;
  /** The other ones of its short code and its slug, on each domain that it was on. Few links have any. */
  readonly otherKeys: readonly string[];
}

const noKeys: readonly string[] = [];

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
  // A map alone, because each redirect looks up one link. The look-up of LRUCache takes twice as long.
  #byKey = new Map<string, Link>();
  /** The links that are read again before they are returned. */
  #staleByKey = new Map<string, Link>();
  readonly #staleIfError = new StaleIfError();
  readonly #byId: LRUCache<number, CachedLink>;
  readonly #load: LinkCacheOptions['load'];
  readonly #loads = new Map<string, Load>();

  constructor({ maxBytes, load }: LinkCacheOptions) {
    this.#load = load;
    this.#byId = new LRUCache({
      maxSize: maxBytes,
      sizeCalculation: bytesOf,
      dispose: (entry) => {
        for (const cacheKey of keysOf(entry)) {
          this.#byKey.delete(cacheKey);
          this.#staleByKey.delete(cacheKey);
        }
      },
    });
  }

  /** Returns a cached link by its path: `/` and a key. */
  peek(domainId: string | null, path: string): Link | undefined {
    const link = this.#byKey.get(domainId === null ? path : domainId + path);
    // The order of use matters only when links are evicted.
    const { maxSize, calculatedSize } = this.#byId;
    const isHalfFull = 2 * calculatedSize > maxSize;
    if (link && isHalfFull) this.#byId.get(link.urlId);
    return link;
  }

  /**
   * Reads a link from storage and caches it. Concurrent calls for the same key share one read. Returns a
   * stale link if the read fails. With `folds`, the key may be in any case.
   */
  load(domainId: string | null, typed: string, folds = false): Promise<Link | undefined> {
    const key = folds ? foldKey(typed) : typed;
    const cacheKey = `${domainId ?? ''}/${key}`;
    const stale = this.#staleByKey.get(cacheKey);
    const read = () => this.#loadOnce(cacheKey, () => this.#load(domainId, key, folds));
    return stale ? this.#staleIfError.read(stale, read) : read();
  }

  #loadOnce(cacheKey: string, load: () => Promise<Link | undefined>): Promise<Link | undefined> {
    const running = this.#loads.get(cacheKey);
    if (running) return running.link;
    const invalidated: Load['invalidated'] = new Set();
    const link = this.#read(load, cacheKey, invalidated);
    this.#loads.set(cacheKey, { link, invalidated });
    const settle = () => this.#loads.delete(cacheKey);
    link.then(settle, settle);
    return link;
  }

  /** Evicts links by the ids of their records. */
  invalidate(urlIds: readonly number[]): void {
    for (const urlId of urlIds) {
      for (const { invalidated } of this.#loads.values()) invalidated.add(urlId);
      this.#byId.delete(urlId);
    }
  }

  /** Evicts the links of organizations. Takes a millisecond or two for a full cache. */
  invalidateOrganizations(ids: readonly string[]): void {
    const changed = new Set(ids);
    for (const { invalidated } of this.#loads.values()) invalidated.add('all');
    for (const links of [this.#byKey, this.#staleByKey]) {
      for (const { urlId, organizationId } of links.values()) {
        if (changed.has(organizationId)) this.#byId.delete(urlId);
      }
    }
  }

  /** Makes `peek` return no link until it has been read again. */
  markStale(): void {
    if (this.#staleByKey.size === 0) {
      [this.#byKey, this.#staleByKey] = [this.#staleByKey, this.#byKey];
      return;
    }
    for (const [cacheKey, link] of this.#byKey) this.#staleByKey.set(cacheKey, link);
    this.#byKey.clear();
  }

  /** Evicts all links. */
  clear(): void {
    for (const { invalidated } of this.#loads.values()) invalidated.add('all');
    this.#byId.clear();
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
      const stale = this.#staleByKey.get(cacheKey);
      if (stale && stale.urlId !== link?.urlId) this.#byId.delete(stale.urlId);
      if (link && link.urlId !== erasedUrlId) this.#add(cacheKey, link);
      return link;
    }
  }

  #add(cacheKey: string, link: Link): void {
    const known = this.#byId.peek(link.urlId);
    const others = known && keysOf(known).filter((key) => key !== cacheKey);
    const entry = { link, cacheKey, otherKeys: others?.length ? others : noKeys };
    const staleKeys = entry.otherKeys.filter((key) => this.#staleByKey.has(key));
    this.#byId.set(link.urlId, entry);
    // A link that exceeds the limit is not cached.
    if (!this.#byId.has(link.urlId)) return;
    for (const each of keysOf(entry)) {
      // Whether another key still leads to the link was not read.
      const links = staleKeys.includes(each) ? this.#staleByKey : this.#byKey;
      links.set(each, link);
    }
  }
}

function keysOf({ cacheKey, otherKeys }: CachedLink): readonly string[] {
  return [cacheKey, ...otherKeys];
}

/** Returns an upper bound of the memory that a link takes. */
function bytesOf(entry: CachedLink): number {
  const { location, fallback = '', passwordHash, campaign, rules, preview } = entry.link;
  const keys = keysOf(entry).reduce((sum, key) => sum + key.length, 0);
  const { clickLimit, forwarding } = entry.link;
  const hasObjects = clickLimit !== undefined || forwarding !== undefined;
  // A Location with UTM parameters has up to 140,000 characters, each of which is one byte.
  const texts = location.length + fallback.length + (passwordHash?.length ?? 0);
  const utm = Object.values(campaign ?? {}).reduce((sum, value) => sum + value.length, 0);
  return (
    bytesPerLink +
    keys +
    texts +
    (hasObjects ? bytesOfObjects : 0) +
    (campaign ? bytesPerCampaign + utm : 0) +
    (rules ? bytesPerRuleCharacter * JSON.stringify(rules).length : 0) +
    // A character outside Latin-1 makes each character take two bytes.
    (preview ? 2 * JSON.stringify(preview).length : 0)
  );
}
