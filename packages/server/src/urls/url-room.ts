import { randomBytes } from 'node:crypto';
import type { Logger } from 'pino';
import type { Passwords } from '../auth/passwords.js';
import type { EventOutbox } from '../events/event-outbox.js';
import { PeriodicService } from '../lifecycle.js';
import type { PlanTable } from '../organizations/plans.js';
import type { Clock } from '../ports.js';
import { toLink } from '../redirect/link.js';
import { LinkCache } from '../redirect/link-cache.js';
import type { Database } from '../storage/database.js';
import { LinkChains } from './link-chains.js';
import { type LinkOrigins, toRecord } from './present-url.js';
import { shortCodeMaker } from './short-code.js';
import { expireUrls } from './url-expiry.js';
import { urlHandlers } from './url-handlers.js';
import { UrlRepository } from './url-repository.js';
import { UrlService, type UrlServiceOptions } from './url-service.js';

export interface UrlRoomOptions {
  readonly database: Database;
  readonly listUrls: UrlServiceOptions['listUrls'];
  readonly outbox: EventOutbox;
  readonly passwords: Passwords;
  readonly origins: () => LinkOrigins;
  /** The hosts on which the platform's links are served. */
  readonly ownHosts: () => readonly string[];
  readonly isReserved: (word: string) => boolean;
  readonly plans: PlanTable;
  readonly clock: Clock;
  readonly logger: Logger;
}

const cachedLinks = 100_000;
const expiryEveryMs = 1_000;

/** Links: their records, the cache that visitors are answered from, and their end. */
export function createUrlRoom(options: UrlRoomOptions) {
  const { database, listUrls, outbox, origins, isReserved, plans, clock, logger } = options;
  const chains = new LinkChains(options.ownHosts);
  const urls = new UrlRepository(database, {
    outbox,
    chains,
    plans,
    describe: (shortUrl, now) => toRecord(origins(), shortUrl, now),
  });
  const cache = new LinkCache({
    max: cachedLinks,
    load: async (domainId, key) => {
      const found = await urls.findByKey(domainId, key);
      if (!found) return undefined;
      const link = toLink(found);
      // A circle that was closed before this rule, or by a change of the server's own hosts.
      return (await chains.leadsBack(database.read, found)) ? { ...link, isLoop: true } : link;
    },
  });
  const service = new UrlService({
    urls,
    passwords: options.passwords,
    listUrls,
    clock,
    newShortCode: shortCodeMaker(randomBytes, isReserved),
    isReserved,
    onChanged: (ids) => cache.invalidate(ids),
  });
  /** Turns links whose time has come inactive; how many. */
  const expire = () => expireUrls(urls, clock);
  return {
    service,
    cache,
    handlers: urlHandlers(service, origins, clock),
    expire,
    services: [
      new PeriodicService({
        name: 'expiry',
        everyMs: expiryEveryMs,
        runOnce: expire,
        onError: (err) => logger.error({ err }, 'links could not be expired'),
      }),
    ],
  };
}
