import { entryLimit } from '../entry-limit.js';
import { LoadingCache } from '../loading-cache.js';
import type { Clock } from '../ports.js';

export interface FoldedKeysOptions {
  /** Returns the key of the only link on a domain that has this key in any case. */
  readonly find: (domainId: string | null, key: string) => Promise<string | undefined>;
  readonly clock: Clock;
}

// Other nodes create links meanwhile, which are exact matches or make the key ambiguous.
const maxAgeMs = 1_000;
const maxKeys = 10_000;

export type FoldedKeys = ReturnType<typeof createFoldedKeys>;

/** Caches which link a key leads to that is in another case, also if it leads to none. */
export function createFoldedKeys({ find, clock }: FoldedKeysOptions) {
  const keys = new LoadingCache<{ readonly key: string | undefined; readonly expiresAt: number }>(
    entryLimit(maxKeys),
    async (cacheKey) => {
      const slash = cacheKey.indexOf('/');
      const domainId = slash === 0 ? null : cacheKey.slice(0, slash);
      const expiresAt = clock() + maxAgeMs;
      return { key: await find(domainId, cacheKey.slice(slash + 1)), expiresAt };
    },
  );
  return {
    /** Returns a key that was read a moment ago. */
    peek(domainId: string | null, key: string): string | undefined {
      const entry = keys.get(`${domainId ?? ''}/${key}`);
      return entry && entry.expiresAt > clock() ? entry.key : undefined;
    },

    async find(domainId: string | null, key: string): Promise<string | undefined> {
      const cacheKey = `${domainId ?? ''}/${key}`;
      const entry = keys.get(cacheKey);
      if (entry && entry.expiresAt > clock()) return entry.key;
      return (await keys.load(cacheKey))?.key;
    },

    /** Evicts all keys, after links were created. */
    clear: () => keys.clear(),
  };
}
