import type { Logger } from 'pino';
import { v7 as newUuid } from 'uuid';
import type { Config } from '../config.js';
import { createEventOutbox } from '../events/event-outbox.js';
import type { Database } from '../storage/database.js';
import type { StorageOptions } from '../storage/open-storage.js';
import { openThread } from '../threads/open-thread.js';
import { createDeliveryRepository } from './delivery-repository.js';
import { dispatchThread, startDispatcher } from './dispatch-thread.js';
import { createEventList } from './event-list.js';
import type { DispatchFigures } from './webhook-dispatcher.js';
import { type WebhookHandlerOptions, webhookHandlers } from './webhook-handlers.js';
import { createWebhookRepository } from './webhook-repository.js';

export interface WebhookModuleOptions
  extends Omit<
    WebhookHandlerOptions,
    'webhooks' | 'deliveries' | 'eventList' | 'allowPrivateNetwork' | 'wake'
  > {
  readonly config: Config;
  readonly database: Database;
  readonly storage: StorageOptions;
  readonly isThreaded: boolean;
  readonly logger: Logger;
}

const timeLimitMs = 10_000;
// The number and the share of all connections whose requests may wait for events.
const maxWaitingForEvents = 200;
const shareOfConnections = 1 / 10;

export function createWebhookModule(options: WebhookModuleOptions) {
  const { config, database, storage, isThreaded, plans, clock, logger } = options;
  const { allowPrivateNetwork } = config;
  const readSettings = () => ({
    schedule: config.webhookRetrySchedule,
    allowPrivateNetwork,
    disableAfterMs: config.webhookDisableAfterMs,
    plans,
  });
  let reportedAt = performance.now();
  let reported: DispatchFigures = {
    attempts: new Map(),
    pending: 0,
    overdueMs: { answering: 0, slow: 0 },
    sinceTickMs: 0,
  };
  const thread = openThread(dispatchThread, {
    isThreaded,
    get data() {
      const { secretKeys } = database.keyring;
      return { storage: { ...storage, secretKeys }, settings: readSettings() };
    },
    inline: (emit) => startDispatcher(database, readSettings(), clock, emit),
    onEvent(event) {
      if ('figures' in event) {
        reported = event.figures;
        reportedAt = performance.now();
      } else logger.error({ err: event.error }, event.message);
    },
    timeLimitMs,
    logger,
  });
  const wake = (webhookIds: readonly string[]) => {
    // A failure of the thread is logged, and the next one looks at all deliveries.
    thread.call('wake', webhookIds).catch(() => {});
  };
  const outbox = createEventOutbox(database, { newId: newUuid, onEvents: wake, plans });
  const maxWaiting = Math.min(maxWaitingForEvents, config.maxConnections * shareOfConnections);
  const eventList = createEventList(database, maxWaiting);
  const handlers = webhookHandlers({
    ...options,
    webhooks: createWebhookRepository(database),
    deliveries: createDeliveryRepository(database, outbox),
    eventList,
    allowPrivateNetwork,
    wake,
  });
  return {
    outbox,
    wake,
    handlers,
    services: [thread],
    /** Stops sending deliveries. Later ones remain due, also those of requests in progress. */
    stopDispatcher: () => thread.stop(),
    /** Answers requests that wait for events. The stop of the HTTP server waits for them. */
    answerWaiting: () => eventList.stop(),
    threads: [thread],
    figures(): DispatchFigures {
      // The age of the last report counts, because a thread that hangs no longer reports.
      const ageMs = performance.now() - reportedAt;
      return { ...reported, sinceTickMs: reported.sinceTickMs + ageMs };
    },
  };
}
