import { randomBytes } from 'node:crypto';
import type { Logger } from 'pino';
import type { Passwords } from '../auth/passwords.js';
import type { OwnHosts } from '../domains/own-hosts.js';
import type { EventOutbox } from '../events/event-outbox.js';
import { PeriodicService } from '../lifecycle.js';
import type { PlanTable } from '../organizations/plans.js';
import type { Clock } from '../ports.js';
import type { Database } from '../storage/database.js';
import { LoopDetector } from './loop-detector.js';
import { type LinkOrigins, toRecord } from './present-url.js';
import { shortCodeGenerator } from './short-code.js';
import { expireUrls } from './url-expiry.js';
import { urlHandlers } from './url-handlers.js';
import { UrlRepository } from './url-repository.js';
import { UrlService, type UrlServiceOptions } from './url-service.js';

export interface UrlModuleOptions {
  readonly database: Database;
  readonly listUrls: UrlServiceOptions['listUrls'];
  readonly outbox: EventOutbox;
  readonly passwords: Passwords;
  readonly origins: () => LinkOrigins;
  readonly ownHosts: OwnHosts;
  readonly isReserved: (word: string) => boolean;
  /** Called with the ids of changed links after the commit, before the response. */
  readonly onChanged: (ids: readonly number[]) => void;
  readonly plans: PlanTable;
  readonly clock: Clock;
  readonly logger: Logger;
}

const expiryEveryMs = 1_000;

/** Composes the module of links: API, look-up for redirects, and expiry. */
export function createUrlModule(options: UrlModuleOptions) {
  const { database, listUrls, outbox, origins, isReserved, plans, clock, logger } = options;
  const loops = new LoopDetector(options.ownHosts);
  const urls = new UrlRepository(database, {
    outbox,
    loops,
    plans,
    toEventData: (shortUrl, now) => toRecord(origins(), shortUrl, now),
  });
  const service = new UrlService({
    urls,
    passwords: options.passwords,
    listUrls,
    clock,
    newShortCode: shortCodeGenerator(randomBytes, isReserved),
    isReserved,
    onChanged: options.onChanged,
  });
  const expire = (signal?: AbortSignal) => expireUrls(urls, clock, signal);
  return {
    service,
    /** Finds the link of a key and whether it leads back to itself. */
    async findForRedirect(domainId: string | null, key: string) {
      const url = await urls.findByKey(domainId, key);
      if (!url) return undefined;
      // Writes refuse loops, but a change of the server's own hosts may close one.
      return { url, isLoop: await loops.leadsBack(database.read, url) };
    },
    handlers: urlHandlers(service, origins, clock),
    expire,
    services: [
      new PeriodicService({
        name: 'expiry',
        everyMs: expiryEveryMs,
        tick: expire,
        onError: (err) => logger.error({ err }, 'link expiry failed'),
      }),
    ],
  };
}
