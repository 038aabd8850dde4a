import { randomBytes } from 'node:crypto';
import type { Logger } from 'pino';
import { v7 as newUuid } from 'uuid';
import type { Config } from '../config.js';
import { EventOutbox } from '../events/event-outbox.js';
import type { Service } from '../lifecycle.js';
import type { Database } from '../storage/database.js';
import type { StorageOptions } from '../storage/open-storage.js';
import { DeliveryRepository } from './delivery-repository.js';
import { openDispatcher } from './dispatch-thread.js';
import type { DispatchFigures } from './webhook-dispatcher.js';
import { type WebhookHandlerOptions, webhookHandlers } from './webhook-handlers.js';
import { WebhookRepository } from './webhook-repository.js';

export interface WebhookModuleOptions
  extends Pick<
    WebhookHandlerOptions,
    'listWebhooks' | 'listDeliveries' | 'organizations' | 'plans' | 'clock'
  > {
  readonly config: Config;
  readonly database: Database;
  readonly storage: StorageOptions;
  readonly isThreaded: boolean;
  readonly logger: Logger;
}

/** Composes the outbox in which other modules record events, the API, and the dispatcher. */
export function createWebhookModule(options: WebhookModuleOptions) {
  const { config, database, storage, isThreaded, plans, clock, logger } = options;
  const { allowPrivateNetwork } = config;
  const settings = {
    schedule: config.webhookRetrySchedule,
    allowPrivateNetwork,
    disableAfterMs: config.webhookDisableAfterMs,
  };
  const dispatcher = openDispatcher({ isThreaded, storage, database, settings, clock, logger });
  const wake = () => dispatcher.wake();
  const outbox = new EventOutbox(database, { newId: newUuid, onEvents: wake, plans });
  const handlers = webhookHandlers({
    ...options,
    webhooks: new WebhookRepository(database),
    deliveries: new DeliveryRepository(database, outbox),
    allowPrivateNetwork,
    newId: newUuid,
    randomBytes,
    onChanged: wake,
  });
  return {
    outbox,
    handlers,
    services: [dispatcher] as readonly Service[],
    threads: [dispatcher.thread],
    figures: (): DispatchFigures => dispatcher.figures,
  };
}
