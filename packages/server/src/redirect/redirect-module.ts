import { LRUCache } from 'lru-cache';
import { limitAttempts, passwordAttempts } from '../auth/attempt-limiter.js';
import type { Config } from '../config.js';
import { type AddressRanges, parseAddressRanges } from '../network/ip-address.js';
import type { Database } from '../storage/database.js';
import type { UrlReader } from '../urls/url-reader.js';
import { createDomainPages, type DomainPagesOptions } from './domain-pages.js';
import { toLink } from './link.js';
import { LinkCache, type LinkCacheOptions } from './link-cache.js';
import { createLinkInfo, type LinkInfoOptions } from './link-info.js';
import { createClickTaker } from './max-clicks.js';
import { createRedirectHandler, type RedirectHandlerOptions } from './redirect-handler.js';

export interface RedirectModuleOptions
  extends DomainPagesOptions,
    Omit<LinkInfoOptions, 'isDefault'>,
    Omit<
      RedirectHandlerOptions,
      'cache' | 'domainPages' | 'findInfo' | 'takeClick' | 'takeAttempt' | 'proxies'
    > {
  readonly config: Config;
  readonly database: Database;
  readonly urls: Pick<UrlReader, 'findByKey' | 'findMany' | 'hasKeysBelow'>;
}

export function createRedirectModule(options: RedirectModuleOptions) {
  const { config, database, clock } = options;
  const cache = new LinkCache({ maxBytes: config.linkCacheBytes, load: linkLoader(options) });
  const domainPages = createDomainPages(options);
  const handler = createRedirectHandler({
    ...options,
    cache,
    domainPages,
    findInfo: createLinkInfo({ ...options, isDefault: config.linkInfo }),
    takeClick: createClickTaker(database),
    takeAttempt: limitAttempts(database, passwordAttempts, clock),
    proxies: config.trustedProxies,
  });
  return { handler, domainPages, cache };
}

/** Returns a function that reads a link for the cache, with the policy that holds for it. */
function linkLoader({ config, urls, linkPolicy }: RedirectModuleOptions): LinkCacheOptions['load'] {
  const forwarding = { query: config.forwardQuery, path: config.forwardPath };
  const isBlocked = (targetUrl: string) => linkPolicy.findBlockedHost(targetUrl) !== undefined;
  // Links share the ranges of their organization, because 100 ranges take 30 KB.
  const excludedAddresses = new LRUCache<string, AddressRanges>({
    max: 100,
    memoMethod: parseAddressRanges,
  });
  return async (domainId, key, folds) => {
    const found = await urls.findByKey(domainId, key, folds);
    if (!found || found.url.erasedAt !== null) return undefined;
    const { excludeAddresses: ranges } = found;
    const excluded = ranges === '' ? undefined : excludedAddresses.memo(ranges);
    return toLink(found, forwarding, excluded, isBlocked);
  };
}
