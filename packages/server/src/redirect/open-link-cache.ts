import type { ShortUrl } from '../urls/short-url.js';
import { toLink } from './link.js';
import { LinkCache } from './link-cache.js';

const maxLinks = 100_000;

/** The cache that redirects are answered from, filled from storage. */
export function openLinkCache(
  find: (
    domainId: string | null,
    key: string,
  ) => Promise<{ readonly url: ShortUrl; readonly isLoop: boolean } | undefined>,
): LinkCache {
  return new LinkCache({
    max: maxLinks,
    load: async (domainId, key) => {
      const found = await find(domainId, key);
      return found && { ...toLink(found.url), isLoop: found.isLoop };
    },
  });
}
