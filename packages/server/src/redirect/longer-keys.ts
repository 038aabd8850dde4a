import { entryLimit } from '../entry-limit.js';
import { decodeUnreserved } from '../http/request-target.js';
import { LoadingCache } from '../loading-cache.js';
import type { Clock } from '../ports.js';
import { StorageUnavailableError } from '../storage/database.js';
import { isCodeSegment, maxCodeLength } from '../urls/url-keys.js';
import type { UrlReader } from '../urls/url-reader.js';

export interface LongerKeysOptions {
  readonly urls: Pick<UrlReader, 'hasKeysBelow'>;
  readonly clock: Clock;
}

/** A key that a path begins with, and the rest of the path. */
export interface KeyOfPath {
  readonly key: string;
  readonly rest: string;
}

// Other nodes create links meanwhile.
const maxAgeMs = 1_000;
const maxEntries = 10_000;

export type LongerKeys = ReturnType<typeof createLongerKeys>;

/**
 * Finds the keys with slashes that a path begins with. A path whose first segment begins no such key is
 * usual, and costs no look-up for a second.
 */
export function createLongerKeys({ urls, clock }: LongerKeysOptions) {
  const below = new LoadingCache<{ readonly hasKeys: boolean; readonly expiresAt: number }>(
    entryLimit(maxEntries),
    async (cacheKey) => {
      const [domainId = '', folds, segment = ''] = cacheKey.split('/');
      const expiresAt = clock() + maxAgeMs;
      const hasKeys = await urls.hasKeysBelow(domainId || null, segment, folds === '1');
      return { hasKeys, expiresAt };
    },
  );

  async function hasKeysBelow(domainId: string | null, segment: string, folds: boolean) {
    const cacheKey = `${domainId ?? ''}/${Number(folds)}/${segment}`;
    const entry = below.get(cacheKey);
    if (entry && entry.expiresAt > clock()) return entry.hasKeys;
    try {
      return (await below.load(cacheKey))?.hasKeys === true;
    } catch (error) {
      // Cached links redirect while storage is unavailable.
      if (error instanceof StorageUnavailableError) return entry?.hasKeys === true;
      throw error;
    }
  }

  return {
    /** Returns the keys that links on a domain may have, the longest first. */
    async find(domainId: string | null, path: string, folds: boolean): Promise<KeyOfPath[]> {
      const candidates = candidatesOf(path);
      const [segment = ''] = candidates[0]?.key.split('/', 1) ?? [];
      const mayExist = segment !== '' && (await hasKeysBelow(domainId, segment, folds));
      return mayExist ? candidates : [];
    },

    /** Evicts what is known, after links were created or domains have changed. */
    clear: () => below.clear(),
  };
}

/** Returns the keys of several segments that a path may begin with, the longest first. */
function candidatesOf(path: string): KeyOfPath[] {
  const candidates: KeyOfPath[] = [];
  let key = '';
  let end = 0;
  // A stranger may send any number of segments, so it stops at the longest key.
  while (end < path.length) {
    const next = path.indexOf('/', end + 1);
    const start = end + 1;
    end = next < 0 ? path.length : next;
    const segment = decodeUnreserved(path.slice(start, end));
    key += key === '' ? segment : `/${segment}`;
    if (!isCodeSegment(segment) || key.length > maxCodeLength) break;
    const rest = path.slice(end);
    if (start > 1) candidates.unshift({ key, rest: rest === '/' ? '' : rest });
  }
  return candidates;
}
