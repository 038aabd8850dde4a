import type { IsOwnHost } from '../domains/own-hosts.js';
import type { Database } from '../storage/database.js';
import type { ShortUrlName } from './parse-short-url.js';
import { domainKeyOf, findDomainKey } from './url-keys.js';
import type { UrlReader } from './url-reader.js';

export interface KeyFinderOptions {
  readonly database: Pick<Database, 'read'>;
  readonly urls: Pick<UrlReader, 'findByKey'>;
  readonly isOwnHost: IsOwnHost;
  /** Returns whether links of a hostname are found in any case; undefined is the platform's domain. */
  readonly ignoresCase: (hostname: string | undefined) => Promise<boolean>;
}

/** Returns the id of the link that visitors of a short URL reach, by the first of its names that a link has. */
export type FindUrlId = (names: readonly ShortUrlName[]) => Promise<number | undefined>;

export function urlIdFinder(options: KeyFinderOptions): FindUrlId {
  const { database, urls, isOwnHost, ignoresCase } = options;
  const platform = domainKeyOf(null);
  return async (names) => {
    for (const { hostname, key } of names) {
      const domainKey =
        hostname === undefined ? platform : await findDomainKey(database.read, isOwnHost, hostname);
      if (domainKey === undefined) continue;
      const domainId = domainKey === platform ? null : domainKey;
      const found = await urls.findByKey(domainId, key, await ignoresCase(hostname));
      if (found) return found.url.id;
    }
    return undefined;
  };
}
