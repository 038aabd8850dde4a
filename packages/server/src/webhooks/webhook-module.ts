import { randomBytes } from 'node:crypto';
import type { Logger } from 'pino';
import { v7 as newUuid } from 'uuid';
import type { Config } from '../config.js';
import { EventOutbox } from '../events/event-outbox.js';
import type { Service } from '../lifecycle.js';
import type { OrganizationRepository } from '../organizations/organization-repository.js';
import type { PlanTable } from '../organizations/plans.js';
import type { Clock } from '../ports.js';
import type { Database } from '../storage/database.js';
import type { StorageOptions } from '../storage/open-storage.js';
import { DeliveryRepository } from './delivery-repository.js';
import { openDispatcher } from './dispatch-thread.js';
import type { DispatchFigures } from './webhook-dispatcher.js';
import { webhookHandlers } from './webhook-handlers.js';
import { WebhookRepository } from './webhook-repository.js';
import { WebhookService, type WebhookServiceOptions } from './webhook-service.js';

export interface WebhookModuleOptions {
  readonly config: Config;
  readonly database: Database;
  readonly storage: StorageOptions;
  readonly isThreaded: boolean;
  readonly organizations: OrganizationRepository;
  readonly listWebhooks: WebhookServiceOptions['listWebhooks'];
  readonly listDeliveries: WebhookServiceOptions['listDeliveries'];
  readonly plans: PlanTable;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Composes the outbox in which other modules record events, the API, and the dispatcher. */
export function createWebhookModule(options: WebhookModuleOptions) {
  const { config, database, storage, isThreaded, organizations, plans, clock, logger } = options;
  const { allowPrivateNetwork } = config;
  const settings = {
    schedule: config.webhookRetrySchedule,
    allowPrivateNetwork,
    disableAfterMs: config.webhookDisableAfterMs,
  };
  const dispatcher = openDispatcher({ isThreaded, storage, database, settings, clock, logger });
  const wake = () => dispatcher.wake();
  const outbox = new EventOutbox(database, { newId: newUuid, onEvents: wake, plans });
  const service = new WebhookService({
    webhooks: new WebhookRepository(database),
    deliveries: new DeliveryRepository(database, outbox),
    listWebhooks: options.listWebhooks,
    listDeliveries: options.listDeliveries,
    organizations,
    plans,
    allowPrivateNetwork,
    clock,
    newId: newUuid,
    randomBytes,
    onChanged: wake,
  });
  const services: readonly Service[] = [dispatcher];
  const figures = (): DispatchFigures => dispatcher.figures;
  return {
    outbox,
    handlers: webhookHandlers(service),
    services,
    threads: [dispatcher.thread],
    figures,
  };
}
