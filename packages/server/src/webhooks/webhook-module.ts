import { randomBytes } from 'node:crypto';
import type { Logger } from 'pino';
import { v7 as newUuid } from 'uuid';
import type { Config } from '../config.js';
import { EventOutbox } from '../events/event-outbox.js';
import type { Service } from '../lifecycle.js';
import type { Database } from '../storage/database.js';
import type { StorageOptions } from '../storage/open-storage.js';
import { openThread } from '../threads/open-thread.js';
import type { LinkOrigins } from '../urls/present-url.js';
import { DeliveryQueue } from './delivery-queue.js';
import { DeliveryRepository } from './delivery-repository.js';
import { dispatchThread, startDispatcher } from './dispatch-thread.js';
import { eventTypeHandlers } from './event-type-handlers.js';
import { OpenStreams } from './open-streams.js';
import { type ReplayHandlerOptions, replayHandlers } from './replay-handlers.js';
import { ReplayRepository } from './replay-repository.js';
import { type StatsHandlerOptions, statsHandlers } from './stats-handlers.js';
import { streamHandlers } from './stream-handlers.js';
import { StreamRepository } from './stream-repository.js';
import { type WebhookAccessOptions, webhookAccess } from './webhook-access.js';
import type { DispatchFigures } from './webhook-dispatcher.js';
import { type WebhookHandlerOptions, webhookHandlers } from './webhook-handlers.js';
import { WebhookRepository } from './webhook-repository.js';

export interface WebhookModuleOptions
  extends Pick<WebhookHandlerOptions, 'listWebhooks' | 'listDeliveries' | 'clock'>,
    Pick<ReplayHandlerOptions, 'listReplays'>,
    Pick<StatsHandlerOptions, 'readAttempts'>,
    Pick<WebhookAccessOptions, 'organizations' | 'plans'> {
  readonly config: Config;
  readonly database: Database;
  readonly storage: StorageOptions;
  readonly isThreaded: boolean;
  readonly logger: Logger;
  /** Is called when the dispatcher starts. */
  readonly origins: () => LinkOrigins;
}

const timeLimitMs = 10_000;
// The maximum number of streams that clients follow on this node, also as a share of all connections.
const maxOpenStreams = 100;
const shareOfConnections = 1 / 10;

/** Composes the outbox in which other modules record events, the API, and the dispatcher. */
export function createWebhookModule(options: WebhookModuleOptions) {
  const { config, database, storage, isThreaded, plans, clock, logger } = options;
  const { allowPrivateNetwork } = config;
  const settings = {
    schedule: config.webhookRetrySchedule,
    allowPrivateNetwork,
    disableAfterMs: config.webhookDisableAfterMs,
    plans,
  };
  let reportedAt = performance.now();
  let reported: DispatchFigures = {
    attempts: [],
    pending: 0,
    overdueMs: { answering: 0, slow: 0 },
    sinceTickMs: 0,
  };
  const thread = openThread(dispatchThread, {
    isThreaded,
    get data() {
      const { secretKeys } = database.keyring;
      return {
        storage: { ...storage, secretKeys },
        settings: { ...settings, origins: options.origins() },
      };
    },
    inline: (emit) =>
      startDispatcher(database, { ...settings, origins: options.origins() }, clock, emit),
    onEvent(event) {
      if ('figures' in event) {
        reported = event.figures;
        reportedAt = performance.now();
      } else logger.error({ err: event.error }, event.message);
    },
    timeLimitMs,
    logger,
  });
  const wake = (webhookIds?: readonly string[]) => {
    // A failure of the thread is logged, and the next one looks at all deliveries.
    thread.call('wake', webhookIds).catch(() => {});
  };
  const outbox = new EventOutbox(database, { newId: newUuid, onEvents: wake, plans });
  const webhooks = new WebhookRepository(database);
  const shared = { ...options, access: webhookAccess({ ...options, webhooks }), newId: newUuid };
  const handlers = webhookHandlers({
    ...shared,
    webhooks,
    deliveries: new DeliveryRepository(database, outbox),
    allowPrivateNetwork,
    randomBytes,
    onChanged: wake,
  });
  const replays = new ReplayRepository(database);
  const streams = new StreamRepository(
    database,
    outbox,
    new DeliveryQueue(database, outbox, settings),
  );
  const open = new OpenStreams({
    streams,
    keyring: database.keyring,
    clock,
    maxOpen: Math.min(maxOpenStreams, Math.floor(config.maxConnections * shareOfConnections)),
    onError: (err) => logger.error({ err }, 'sending webhook streams failed'),
  });
  const dispatcher: Service = {
    name: 'webhooks',
    start: () => thread.start(),
    stop: () => thread.stop(),
  };
  return {
    outbox,
    handlers: {
      ...handlers,
      ...replayHandlers({ ...shared, replays }),
      ...streamHandlers({
        ...shared,
        streams,
        open,
        keyring: database.keyring,
        randomBytes,
      }),
      ...statsHandlers(shared),
      ...eventTypeHandlers,
    },
    services: [dispatcher, open],
    /** Stops sending deliveries. Later ones remain due, also those of requests in progress. */
    stopDispatcher: dispatcher.stop,
    /** Ends the streams that clients follow. The stop of the HTTP server waits for them. */
    endStreams: () => open.stop(),
    threads: [thread],
    figures(): DispatchFigures {
      // The age of the last report counts, because a thread that hangs no longer reports.
      const ageMs = performance.now() - reportedAt;
      return { ...reported, sinceTickMs: reported.sinceTickMs + ageMs };
    },
  };
}
