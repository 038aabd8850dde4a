import { randomBytes } from 'node:crypto';
import { v7 as newUuid } from 'uuid';
import type { EventOutbox } from '../events/event-outbox.js';
import type { Clock, ResolveTxt } from '../ports.js';
import type { Database } from '../storage/database.js';
import { domainHandlers } from './domain-handlers.js';
import { DomainRepository } from './domain-repository.js';
import { DomainService, type DomainServiceOptions } from './domain-service.js';
import { HostResolver } from './host-resolver.js';
import type { OwnHosts } from './own-hosts.js';

export interface DomainModuleOptions {
  readonly database: Database;
  readonly listDomains: DomainServiceOptions['listDomains'];
  readonly outbox: EventOutbox;
  readonly resolveTxt: ResolveTxt;
  /** Returns the host of the platform's links, with its port if it has one. */
  readonly shortDomain: () => string;
  readonly ownHosts: OwnHosts;
  readonly clock: Clock;
}

/** Composes the module of custom domains: records, proof of ownership, and resolution of Host headers. */
export function createDomainModule(options: DomainModuleOptions) {
  const { database, outbox, resolveTxt, shortDomain, ownHosts, clock } = options;
  const domains = new DomainRepository(database, { outbox });
  const hosts = new HostResolver({
    shortDomain,
    findId: async (hostname) => (await domains.findByHostname(hostname))?.id,
    clock,
  });
  const service = new DomainService({
    domains,
    listDomains: options.listDomains,
    resolveTxt,
    ownHosts,
    clock,
    newId: newUuid,
    randomBytes,
    onChanged: () => hosts.clear(),
  });
  return { hosts, handlers: domainHandlers(service, hosts), queues: [service.queue] };
}
