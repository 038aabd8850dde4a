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
  name: ShortUrlName,
) => Promise<{ readonly domainKey: string; readonly key: string } | undefined>;

/**
 * Returns a function that finds the domain of a short URL, and the key of the link that its visitors
 * reach. It returns the given key when no link has it, and undefined when the host serves no links.
 */
export function keyFinder({ database, urls, loops, ignoresCase }: KeyFinderOptions): FindKey {
  return async ({ hostname, key }: ShortUrlName) => {
    const platform = domainKeyOf(null);
    const domainKey =
      hostname === undefined ? platform : await loops.findDomainKey(database.read, hostname);
    if (domainKey === undefined) return undefined;
    if (!(await ignoresCase(hostname))) return { domainKey, key };
    const domainId = domainKey === platform ? null : domainKey;
    if (await urls.findByKey(domainId, key)) return { domainKey, key };
    return { domainKey, key: (await urls.findFoldedKey(domainId, key)) ?? key };
  };
}
