import type { Database } from '../storage/database.js';
import type { LoopDetector } from './loop-detector.js';
import { domainKeyOf } from './url-keys.js';
import type { UrlRepository } from './url-repository.js';

export interface KeyFinderOptions {
  readonly database: Pick<Database, 'read'>;
  readonly urls: Pick<UrlRepository, 'findByKey' | 'findFoldedKey'>;
  readonly loops: Pick<LoopDetector, 'findDomainKey'>;
  /** Returns whether links of a hostname are found in any case; undefined is the platform's domain. */
  readonly ignoresCase: (hostname: string | undefined) => Promise<boolean>;
}

/** A short URL. Without a hostname, it is on the platform's domain. */
interface ShortUrlName {
  readonly hostname: string | undefined;
  readonly key: string;
}

export type FindKey = (
  names: readonly ShortUrlName[],
) => Promise<(ShortUrlName & { readonly domainKey: string }) | undefined>;

/**
 * Returns a function that finds the domain of a short URL, and the key of the link that its visitors
 * reach, by the first of its names that a link has. It returns the first name when no link has any, and
 * undefined when the host serves no links.
 */
export function keyFinder({ database, urls, loops, ignoresCase }: KeyFinderOptions): FindKey {
  const platform = domainKeyOf(null);
  return async (names) => {
    let first: Awaited<ReturnType<FindKey>>;
    for (const { hostname, key } of names) {
      const domainKey =
        hostname === undefined ? platform : await loops.findDomainKey(database.read, hostname);
      if (domainKey === undefined) continue;
      const domainId = domainKey === platform ? null : domainKey;
      if (await urls.findByKey(domainId, key)) return { hostname, domainKey, key };
      const folded = (await ignoresCase(hostname))
        ? await urls.findFoldedKey(domainId, key)
        : undefined;
      if (folded !== undefined) return { hostname, domainKey, key: folded };
      first ??= { hostname, domainKey, key };
    }
    return first;
  };
}
