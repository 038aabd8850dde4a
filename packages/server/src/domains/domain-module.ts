import type { Logger } from 'pino';
import { FairQueue } from '../fair-queue.js';
import { type DomainHandlerOptions, domainHandlers } from './domain-handlers.js';
import { DomainRepository } from './domain-repository.js';
import { createHostResolver, type HostResolverOptions } from './host-resolver.js';

export interface DomainModuleOptions
  extends Omit<DomainHandlerOptions, 'domains' | 'hosts' | 'lookUps'>,
    Omit<HostResolverOptions, 'findDomain' | 'onError'> {
  readonly logger: Logger;
}

export function createDomainModule(options: DomainModuleOptions) {
  const { database, logger } = options;
  const domains = new DomainRepository(database);
  const hosts = createHostResolver({
    ...options,
    findDomain: (hostname) => domains.findByHostname(hostname),
    onError: (err) => logger.error({ err }, 'host look-up failed'),
  });
  const lookUps = new FairQueue({
    name: 'DNS look-ups',
    concurrency: 32,
    maxRunningPerOrganization: 4,
    maxWaiting: 256,
    maxWaitingPerOrganization: 32,
  });
  const handlers = domainHandlers({ ...options, domains, hosts, lookUps });
  return { domains, hosts, handlers, queues: [lookUps] };
}
