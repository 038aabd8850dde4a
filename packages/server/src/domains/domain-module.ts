import type { Logger } from 'pino';
import { FairQueue } from '../fair-queue.js';
import { type DomainHandlerOptions, domainHandlers } from './domain-handlers.js';
import { createHostResolver, type HostResolverOptions } from './host-resolver.js';

export interface DomainModuleOptions
  extends Omit<DomainHandlerOptions, 'hosts' | 'lookUps'>,
    Omit<HostResolverOptions, 'findDomain' | 'onError'> {
  readonly logger: Logger;
}

export function createDomainModule(options: DomainModuleOptions) {
  const { findByHostname, logger } = options;
  const hosts = createHostResolver({
    ...options,
    findDomain: findByHostname,
    onError: (err) => logger.error({ err }, 'host look-up failed'),
  });
  const lookUps = new FairQueue({
    name: 'DNS look-ups',
    concurrency: 32,
    maxRunningPerOrganization: 4,
    maxWaiting: 256,
    maxWaitingPerOrganization: 32,
  });
  const handlers = domainHandlers({ ...options, hosts, lookUps });
  return { hosts, handlers, queues: [lookUps] };
}
