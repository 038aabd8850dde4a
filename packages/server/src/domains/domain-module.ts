import { randomBytes } from 'node:crypto';
import type { Logger } from 'pino';
import { v7 as newUuid } from 'uuid';
import type { EventOutbox } from '../events/event-outbox.js';
import type { Database } from '../storage/database.js';
import { createLookUpQueue, type DomainHandlerOptions, domainHandlers } from './domain-handlers.js';
import { DomainRepository } from './domain-repository.js';
import { createHostResolver, type HostResolverOptions } from './host-resolver.js';

export interface DomainModuleOptions
  extends Pick<
      DomainHandlerOptions,
      | 'listDomains'
      | 'resolveTxt'
      | 'isOwnHost'
      | 'findBlockedHost'
      | 'describeBlocked'
      | 'onSettingsChanged'
      | 'clock'
    >,
    Pick<HostResolverOptions, 'platformSettings'> {
  readonly database: Database;
  readonly outbox: EventOutbox;
  readonly logger: Logger;
  /** Returns the host of the platform's links, with its port if it has one. */
  readonly shortDomain: () => string;
}

/** Composes the module of custom domains: records, proof of ownership, and resolution of Host headers. */
export function createDomainModule(options: DomainModuleOptions) {
  const { database, outbox, shortDomain, clock, logger } = options;
  const domains = new DomainRepository(database, outbox);
  const hosts = createHostResolver({
    shortDomain,
    isOwnHost: options.isOwnHost,
    platformSettings: options.platformSettings,
    findDomain: (hostname) => domains.findByHostname(hostname),
    clock,
    onError: (err) => logger.error({ err }, 'host look-up failed'),
  });
  const lookUps = createLookUpQueue();
  const handlers = domainHandlers({
    ...options,
    domains,
    hosts,
    lookUps,
    newId: newUuid,
    randomBytes,
  });
  return { domains, hosts, handlers, queues: [lookUps] };
}
