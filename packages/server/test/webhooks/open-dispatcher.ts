import type { Updateable } from 'kysely';
import { onTestFinished } from 'vitest';
import { readConfig } from '../../src/config.js';
import { createEventOutbox } from '../../src/events/event-outbox.js';
import { createGuardedFetch } from '../../src/network/guarded-fetch.js';
import type { ResolveDns } from '../../src/ports.js';
import type { Schema } from '../../src/storage/schema.js';
import type { AttemptOutcome, ClaimedDelivery } from '../../src/webhooks/attempt.js';
import { createDeliveryQueue } from '../../src/webhooks/delivery-queue.js';
import {
  createDeliveryRepository,
  listDeliveries,
} from '../../src/webhooks/delivery-repository.js';
import { eventExamples } from '../../src/webhooks/event-examples.js';
import { createDispatcher, type WebhookDispatcher } from '../../src/webhooks/webhook-dispatcher.js';
import {
  createWebhookRepository,
  type Webhook,
  type WebhookRepository,
} from '../../src/webhooks/webhook-repository.js';
import { testClock } from '../api/start-server.js';
import { openRepository } from '../storage/temporary-database.js';
import { receiver } from './receiver.js';

export interface DispatcherOptions {
  readonly schedule?: readonly number[];
  readonly resolve?: ResolveDns;
  /** Five days by default. */
  readonly disableAfterMs?: number;
  /** The time limit of an attempt. 5 s by default. */
  readonly attemptTimeoutMs?: number;
}

export type Opened = Awaited<ReturnType<typeof openDispatcher>>;

const leaseMs = 15_000;

/** Opens storage for dispatchers, with a clock that only `advance` moves. */
export async function openDispatcher() {
  const stored = await openRepository();
  const { database } = stored;
  const clock = testClock();
  const errors: unknown[] = [];
  let ids = 0;
  const outbox = createEventOutbox(database, {
    newId: () => {
      ids += 1;
      return `00000000-0000-7000-8000-${String(ids).padStart(12, '0')}`;
    },
  });
  const deliveries = createDeliveryRepository(database, outbox);
  const webhooks = createWebhookRepository(database);
  const organizationId = await stored.addOrganization('scale');
  const dispatchers: WebhookDispatcher[] = [];
  onTestFinished(async () => {
    for (const each of dispatchers) await each.stop();
    await stored.close();
  });
  const queue = createDeliveryQueue(database, outbox, 5 * 24 * 60 * 60 * 1000);
  async function setWebhook(id: string, columns: Updateable<Schema['webhooks']>): Promise<void> {
    await database.writeDirectly((transaction) =>
      transaction.updateTable('webhooks').set(columns).where('id', '=', id).execute(),
    );
  }
  async function subscribe(url: string, owner = organizationId): Promise<string> {
    const id = await stored.subscribe(owner, ['url.created']);
    await setWebhook(id, { url });
    return id;
  }
  async function newest(webhookId: string) {
    const page = await listDeliveries(database, webhookId, { limit: 1, offset: 0 });
    const found = await deliveries.find(webhookId, page.items[0]?.id ?? '');
    if (!found) throw new Error(`webhook ${webhookId} has no delivery`);
    return found;
  }
  return {
    stored,
    organizationId,
    clock,
    deliveries,
    webhooks,
    outbox,
    errors,

    /** Claims deliveries as another process does. Its lease does not end before `endLeases`. */
    async claim(webhookIds: readonly string[], count = 1): Promise<ClaimedDelivery[]> {
      const claims = webhookIds.map((webhookId) => ({ webhookId, count }));
      return (await queue.exchange({ outcomes: [], claims }, clock(), leaseMs)).deliveries;
    },

    /** Records an outcome of the other process. */
    async recordOutcome(outcome: AttemptOutcome): Promise<void> {
      await queue.exchange({ outcomes: [outcome], claims: [] }, clock(), leaseMs);
    },

    /** Lets all leases expire. */
    async endLeases(): Promise<void> {
      await database.writeDirectly((transaction) =>
        transaction
          .updateTable('deliveries')
          .set({ leased_until: 0 })
          .where('leased_until', 'is not', null)
          .execute(),
      );
    },

    /** Creates a dispatcher on the same storage, as another process or a restart does. */
    dispatcher({
      schedule,
      resolve,
      disableAfterMs,
      attemptTimeoutMs,
    }: DispatcherOptions = {}): WebhookDispatcher {
      const fetch = createGuardedFetch({
        allowPrivateNetwork: true,
        ...(resolve && { resolve }),
      });
      const made = createDispatcher({
        keyring: database.keyring,
        queue:
          disableAfterMs === undefined
            ? queue
            : createDeliveryQueue(database, outbox, disableAfterMs),
        fetch: {
          request: (url, request) =>
            fetch.request(url, { ...request, timeoutMs: attemptTimeoutMs ?? request.timeoutMs }),
          close: () => fetch.close(),
        },
        schedule: schedule ?? readConfig({}).webhookRetrySchedule,
        clock,
        onError: (error) => errors.push(error),
      });
      dispatchers.push(made);
      return made;
    },

    /** Creates a webhook of the organization, or of another one. */
    subscribe,

    /** Starts a receiver, and creates a webhook of the organization for it. */
    async hook(...respond: Parameters<typeof receiver>) {
      const hook = await receiver(...respond);
      return { ...hook, id: await subscribe(hook.url) };
    },
    setWebhook,

    /** Returns the newest delivery of a webhook with its attempts. */
    newest,

    /** Changes a webhook as its owner does, and returns it. */
    async change(
      id: string,
      patch: Parameters<WebhookRepository['update']>[1],
    ): Promise<Webhook | null> {
      const context = { organizationId, now: clock(), write: undefined };
      return (await webhooks.update(id, patch, context)).result;
    },

    /** Delivers the newest event again. */
    async replay(webhookId: string): Promise<void> {
      const context = { organizationId, now: clock(), write: undefined };
      await deliveries.replay(webhookId, (await newest(webhookId)).id, context);
    },

    /** Records events for one webhook only. */
    async record(webhookId: string, count = 1): Promise<void> {
      const { organization_id: owner } = await database.read
        .selectFrom('webhooks')
        .select('organization_id')
        .where('id', '=', webhookId)
        .executeTakeFirstOrThrow();
      await database.writeDirectly(async (transaction) => {
        for (let made = 0; made < count; made += 1) {
          const data = eventExamples['url.created'];
          const event = { organizationId: owner, now: clock(), data };
          await outbox.recordTest(transaction, 'url.created', webhookId, event);
        }
      }, 'rows');
    },

    /** Returns status, attempts and last error of a webhook's deliveries, newest first. */
    async states(webhookId: string): Promise<string[]> {
      const page = await listDeliveries(database, webhookId, { limit: 100, offset: 0 });
      return page.items.map(
        ({ status, attempts, lastError }) => `${status} ${attempts} ${lastError}`,
      );
    },
  };
}
