import { v7 as newUuid } from 'uuid';
import { createEventOutbox } from '../events/event-outbox.js';
import { periodicService, stopAll } from '../lifecycle.js';
import { createGuardedFetch } from '../network/guarded-fetch.js';
import type { PlanTable } from '../organizations/plans.js';
import type { Clock } from '../ports.js';
import type { Database } from '../storage/database.js';
import { openStorage, type StorageOptions } from '../storage/open-storage.js';
import { defineThread } from '../threads/define-thread.js';
import { pruneDeliveries } from './delivery-pruner.js';
import { createDeliveryQueue } from './delivery-queue.js';
import type { RetrySchedule } from './sign-and-send.js';
import { createDispatcher, type DispatchFigures } from './webhook-dispatcher.js';

interface DispatchSettings {
  readonly disableAfterMs: number;
  readonly schedule: RetrySchedule;
  readonly allowPrivateNetwork: boolean;
  readonly plans: PlanTable;
}

type DispatchEvent =
  | { readonly error: unknown; readonly message: string }
  | { readonly figures: DispatchFigures };

const reportEveryMs = 5_000;
const pruneEveryMs = 10 * 60_000;

/** Starts the dispatcher and the pruner, which report figures and errors as events. */
export function startDispatcher(
  database: Database,
  { schedule, allowPrivateNetwork, disableAfterMs, plans }: DispatchSettings,
  clock: Clock,
  emit: (event: DispatchEvent) => void,
) {
  const report = (message: string) => (error: unknown) => emit({ message, error });
  const onEvents = (webhookIds: readonly string[]) => dispatcher.wake(webhookIds);
  const outbox = createEventOutbox(database, { newId: newUuid, onEvents, plans });
  const dispatcher = createDispatcher({
    queue: createDeliveryQueue(database, outbox, disableAfterMs),
    fetch: createGuardedFetch({ allowPrivateNetwork }),
    keyring: database.keyring,
    schedule,
    clock,
    onError: report('webhook dispatch failed'),
  });
  const pruning = periodicService({
    everyMs: pruneEveryMs,
    tick: (signal) => pruneDeliveries(database, clock(), signal),
    onError: report('pruning deliveries failed'),
  });
  const reporting = setInterval(() => emit({ figures: dispatcher.figures }), reportEveryMs);
  reporting.unref();
  const services = [pruning, dispatcher];
  for (const each of services) each.start();
  return {
    methods: { wake: dispatcher.wake },
    async stop(): Promise<void> {
      clearInterval(reporting);
      await stopAll(services);
    },
  };
}

/**
 * Runs the dispatcher in a thread, so that its work does not delay redirects. If the thread ends, a new
 * one claims its deliveries again when their leases expire.
 */
export const dispatchThread = defineThread({
  name: 'webhooks',
  file: import.meta.url,
  start(
    { storage, settings }: { storage: StorageOptions; settings: DispatchSettings },
    emit: (event: DispatchEvent) => void,
  ) {
    const database = openStorage(storage);
    const { methods, stop } = startDispatcher(database, settings, Date.now, emit);
    return {
      methods,
      async stop(): Promise<void> {
        await stop();
        await database.close();
      },
    };
  },
});
