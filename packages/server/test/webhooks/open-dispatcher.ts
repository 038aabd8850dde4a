import type { Updateable } from 'kysely';
import { onTestFinished } from 'vitest';
import { readConfig } from '../../src/config.js';
import { EventOutbox } from '../../src/events/event-outbox.js';
import { createGuardedFetch } from '../../src/network/guarded-fetch.js';
import type { ResolveDns } from '../../src/ports.js';
import type { Schema } from '../../src/storage/schema.js';
import type { AttemptOutcome, ClaimedDelivery } from '../../src/webhooks/attempt.js';
import { DeliveryQueue } from '../../src/webhooks/delivery-queue.js';
import { DeliveryRepository, listDeliveries } from '../../src/webhooks/delivery-repository.js';
import { eventExamples } from '../../src/webhooks/event-examples.js';
import { WebhookDispatcher } from '../../src/webhooks/webhook-dispatcher.js';
import { type Webhook, WebhookRepository } from '../../src/webhooks/webhook-repository.js';
import { type TestClock, testClock } from '../api/start-server.js';
import { openRepository, type Stored } from '../storage/temporary-database.js';
import { type Receiver, receiver } from './receiver.js';

export interface DispatcherOptions {
  readonly schedule?: readonly number[];
  readonly allowPrivateNetwork?: boolean;
  readonly resolve?: ResolveDns;
  /** Five days by default. */
  readonly disableAfterMs?: number;
  /** The queue of all dispatchers by default. */
  readonly queue?: DeliveryQueue;
  /** Whether no other process uses the storage. */
  readonly isAlone?: boolean;
  /** The time limit of an attempt. 5 s by default. */
  readonly attemptTimeoutMs?: number;
}

export interface Opened {
  readonly stored: Stored;
  readonly organizationId: string;
  readonly clock: TestClock;
  readonly deliveries: DeliveryRepository;
  readonly webhooks: WebhookRepository;
  readonly outbox: EventOutbox;
  readonly queue: DeliveryQueue;
  readonly errors: unknown[];
  /** Claims deliveries as another process does. Its lease does not end before `endLeases`. */
  claim(webhookIds: readonly string[], count?: number): Promise<ClaimedDelivery[]>;
  /** Records an outcome of the other process. */
  recordOutcome(outcome: AttemptOutcome): Promise<void>;
  /** Lets all leases expire. */
  endLeases(): Promise<void>;
  /** Returns the webhooks with due deliveries. */
  findDue(): ReturnType<DeliveryQueue['findDue']>;
  /** Creates a dispatcher on the same storage, as another process or a restart does. */
  dispatcher(options?: DispatcherOptions): WebhookDispatcher;
  /** Creates a webhook of the organization, or of another one. */
  subscribe(url: string, owner?: string): Promise<string>;
  /** Starts a receiver, and creates a webhook of the organization for it. */
  hook(...respond: Parameters<typeof receiver>): Promise<Receiver & { readonly id: string }>;
  setWebhook(id: string, columns: Updateable<Schema['webhooks']>): Promise<void>;
  /** Records events for one webhook only. */
  record(webhookId: string, count?: number): Promise<void>;
  /** Returns the newest delivery of a webhook with its attempts. */
  newest(webhookId: string): Promise<NonNullable<Awaited<ReturnType<DeliveryRepository['find']>>>>;
  /** Changes a webhook as its owner does, and returns it. */
  change(id: string, patch: Parameters<WebhookRepository['update']>[1]): Promise<Webhook | null>;
  /** Delivers the newest event again. */
  replay(webhookId: string): Promise<void>;
  /** Returns status, attempts and last error of a webhook's deliveries, newest first. */
  states(webhookId: string): Promise<string[]>;
}

const leaseMs = 15_000;

/** Opens storage for dispatchers, with a clock that only `advance` moves. */
export async function openDispatcher(): Promise<Opened> {
  const stored = await openRepository();
  const { database } = stored;
  const clock = testClock();
  const errors: unknown[] = [];
  let ids = 0;
  const outbox = new EventOutbox(database, {
    newId: () => {
      ids += 1;
      return `00000000-0000-7000-8000-${String(ids).padStart(12, '0')}`;
    },
  });
  const deliveries = new DeliveryRepository(database, outbox);
  const webhooks = new WebhookRepository(database);
  const organizationId = await stored.addOrganization('scale');
  const dispatchers: WebhookDispatcher[] = [];
  onTestFinished(async () => {
    for (const each of dispatchers) await each.stop();
    await stored.close();
  });
  const queue = new DeliveryQueue(database, outbox, { disableAfterMs: 5 * 24 * 60 * 60 * 1000 });
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
    queue,
    errors,
    async claim(webhookIds, count = 1) {
      const claims = webhookIds.map((webhookId) => ({ webhookId, count }));
      return (await queue.exchange({ outcomes: [], claims }, clock(), leaseMs)).deliveries;
    },
    async recordOutcome(outcome) {
      await queue.exchange({ outcomes: [outcome], claims: [] }, clock(), leaseMs);
    },
    async endLeases() {
      await database.writeDirectly((transaction) =>
        transaction
          .updateTable('deliveries')
          .set({ leased_until: 0 })
          .where('leased_until', 'is not', null)
          .execute(),
      );
    },
    findDue: () => queue.findDue(clock()),
    dispatcher({
      schedule,
      allowPrivateNetwork = true,
      resolve,
      disableAfterMs,
      queue: ownQueue = queue,
      isAlone = false,
      attemptTimeoutMs,
    } = {}) {
      const fetch = createGuardedFetch({
        allowPrivateNetwork,
        ...(resolve && { resolve }),
      });
      const made = new WebhookDispatcher({
        outbox,
        isAlone,
        keyring: database.keyring,
        queue:
          disableAfterMs === undefined
            ? ownQueue
            : new DeliveryQueue(database, outbox, { disableAfterMs }),
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
    subscribe,
    async hook(...respond) {
      const hook = await receiver(...respond);
      return { ...hook, id: await subscribe(hook.url) };
    },
    setWebhook,
    newest,
    async change(id, patch) {
      const context = { organizationId, now: clock(), write: undefined };
      return (await webhooks.update(id, patch, context)).result;
    },
    async replay(webhookId) {
      const context = { organizationId, now: clock(), write: undefined };
      await deliveries.replay(webhookId, (await newest(webhookId)).id, context);
    },
    async record(webhookId, count = 1) {
      const { organization_id: owner } = await database.read
        .selectFrom('webhooks')
        .select('organization_id')
        .where('id', '=', webhookId)
        .executeTakeFirstOrThrow();
      await database.writeDirectly(async (transaction) => {
        for (let made = 0; made < count; made += 1) {
          const data = eventExamples['url.created'];
          await outbox.recordTest(transaction, owner, 'url.created', clock(), data, webhookId);
        }
      }, 'rows');
    },
    async states(webhookId) {
      const page = await listDeliveries(database, webhookId, { limit: 100, offset: 0 });
      return page.items.map(
        ({ status, attempts, lastError }) => `${status} ${attempts} ${lastError}`,
      );
    },
  };
}
