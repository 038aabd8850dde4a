import { setTimeout as sleep } from 'node:timers/promises';
import { loadingCache } from '../loading-cache.js';
import { foldKey } from '../storage/fold-keys.js';
import type { Link } from './link.js';

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

interface CachedLink {
  readonly link: Link;
  /** The version of the cache when its read began. */
  readonly version: number;
}

/**
 * Caches links for redirects. Entries do not expire: a change of a link invalidates it. A read that overlaps
 * the change is not cached, so no request that arrives after `invalidate` gets the old link.
 */
export function createLinkCache({ maxBytes, load }: LinkCacheOptions) {
  /** The keys of each cached link: of its short code and its slug, on each domain that it was on. */
  const keys = new Map<number, readonly string[]>();
  const links = loadingCache<CachedLink>(
    {
      maxSize: maxBytes,
      sizeCalculation: ({ link }, cacheKey) => bytesOf(link) + cacheKey.length,
      onInsert: ({ link: { urlId } }, cacheKey) =>
        keys.set(urlId, [...(keys.get(urlId) ?? []), cacheKey]),
      // Also called for an entry that is replaced.
      dispose({ link: { urlId } }, cacheKey) {
        const others = keys.get(urlId)?.filter((key) => key !== cacheKey) ?? [];
        if (others.length > 0) keys.set(urlId, others);
        else keys.delete(urlId);
      },
    },
    async () => undefined,
  );
  const readOrStale = staleIfError();
  let version = 0;
  /** Entries of earlier versions are stale. */
  let staleBefore = 0;
  /** Entries of organizations of earlier versions are outdated. So eviction takes no search. */
  const outdatedBefore = new Map<string, number>();

  function isCurrent({ link, version: readAt }: CachedLink, firstVersion = 0): boolean {
    if (readAt < firstVersion) return false;
    // Each redirect would look up its organization in a map that is usually empty.
    if (outdatedBefore.size === 0) return true;
    return readAt >= (outdatedBefore.get(link.organizationId) ?? 0);
  }

  return {
    /** Returns a cached link by its path: `/` and a key. */
    peek(domainId: string | null, path: string): Link | undefined {
      const cached = links.get(domainId === null ? path : domainId + path);
      return cached && isCurrent(cached, staleBefore) ? cached.link : undefined;
    },

    /**
     * Reads a link from storage and caches it. Concurrent calls for the same key share one read. Returns a
     * stale link if the read fails. With `folds`, the key may be in any case.
     */
    load(domainId: string | null, typed: string, folds = false): Promise<Link | undefined> {
      const key = folds ? foldKey(typed) : typed;
      const cacheKey = `${domainId ?? ''}/${key}`;
      const cached = links.get(cacheKey);
      const read = async () => {
        const loaded = await links.load(cacheKey, async () => {
          const readAt = version;
          const link = await load(domainId, key, folds);
          return link && { link, version: readAt };
        });
        return loaded?.link;
      };
      return cached && isCurrent(cached) ? readOrStale(cached.link, read) : read();
    },

    invalidate(urlIds: readonly number[]): void {
      links.invalidate(urlIds.flatMap((urlId) => keys.get(urlId) ?? []));
      // They may be reading one of the links.
      links.forgetLoads();
    },

    invalidateOrganizations(ids: readonly string[]): void {
      version += 1;
      for (const id of ids) outdatedBefore.set(id, version);
      links.forgetLoads();
    },

    /** Makes `peek` return no link until it has been read again. */
    markStale(): void {
      version += 1;
      staleBefore = version;
    },

    clear: () => links.clear(),
  };
}

// How long a reader waits for a value instead of the stale one.
const maxWaitMs = 500;
const retryMs = 1_000;

/** Returns a function that reads again what a cache has; it returns the stale value while that fails or hangs. */
function staleIfError() {
  /** When storage is read again after a failure; 0 after a success. */
  let retryAt = 0;
  return async <Value>(stale: Value, read: () => Promise<Value>): Promise<Value> => {
    const now = performance.now();
    if (now < retryAt) return stale;
    // After a failure, one reader waits for storage, and the others get stale values meanwhile.
    if (retryAt !== 0) retryAt = now + retryMs;
    const over = new AbortController();
    try {
      const timeout = sleep(maxWaitMs, undefined, { ref: false, signal: over.signal });
      const value = await Promise.race([read().then((read) => ({ read })), timeout]);
      retryAt = value ? 0 : performance.now() + retryMs;
      return value ? value.read : stale;
    } catch {
      retryAt = performance.now() + retryMs;
      return stale;
    } finally {
      over.abort();
    }
  };
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
