import { sql } from 'kysely';
import type { DeliveredEvent, EventOutbox } from '../events/event-outbox.js';
import { eventTypes } from '../events/event-types.js';
import { type EventFilters, wantsType } from '../events/subscription.js';
import {
  type IdempotentResult,
  type WriteRequest,
  writeOnce,
} from '../idempotency/with-idempotency-key.js';
import type { Database } from '../storage/database.js';
import { dueDeliveryFinder } from '../storage/due-deliveries.js';
import { encryptorOf } from '../storage/secrets.js';
import { type AttemptOutcome, causeOfStatus } from './attempt.js';
import { limitClickSubscribers } from './click-subscribers.js';
import type { DeliveryQueue } from './delivery-queue.js';
import { encryptSecrets } from './secrets.js';
import type { DeliveryOutcome } from './stream-contract.js';
import type { SubscribedType, WebhookSettings } from './webhook-contract.js';
import { isOfActiveOrganization, oldestDueAt } from './webhook-expressions.js';
import { maxStreams, maxUnanswered, outcomeTimeoutMs, streamLifetimeMs } from './webhook-limits.js';
import { filtersOf, settingColumns } from './webhook-repository.js';

export interface NewStream {
  readonly id: string;
  readonly url: string;
  readonly events: readonly SubscribedType[];
  readonly filters: WebhookSettings['filters'];
  readonly secret: string;
  readonly createdAt: number;
}

/** The result of a create, as it is stored with an idempotency key. */
export interface CreatedStream extends Omit<NewStream, 'filters'> {
  readonly filters: EventFilters | null;
  readonly expiresAt: number;
  readonly replayed: number;
}

/** A stream that a client reads, as storage has it. */
export type StreamState = Awaited<ReturnType<StreamRepository['findStates']>>[number];

/** Stores webhook streams: webhooks without a receiver, which expire. Every method is one transaction. */
export class StreamRepository {
  readonly #database: Database;
  readonly #outbox: Pick<EventOutbox, 'deliverAgain'>;
  readonly #queue: Pick<DeliveryQueue, 'record'>;

  constructor(
    database: Database,
    outbox: Pick<EventOutbox, 'deliverAgain'>,
    queue: Pick<DeliveryQueue, 'record'>,
  ) {
    this.#database = database;
    this.#outbox = outbox;
    this.#queue = queue;
  }

  /** Creates a stream, with deliveries of past events. Returns null if there are `maxStreams`. */
  async create(
    organizationId: string,
    stream: NewStream,
    replayLast: number,
    write: WriteRequest | undefined,
  ): Promise<IdempotentResult<CreatedStream | null>> {
    const { id, url, events, secret, createdAt } = stream;
    const past = await findPastEvents(this.#database, organizationId, events, replayLast);
    return writeOnce(
      this.#database,
      organizationId,
      write,
      async (transaction) => {
        const existing = await transaction
          .selectFrom('webhooks')
          .select('id')
          .where('organization_id', '=', organizationId)
          .where('deleted_at', 'is', null)
          .where('expires_at', '>', createdAt)
          .execute();
        if (existing.length >= maxStreams) return null;
        const encrypt = await encryptorOf(this.#database, transaction);
        const columns = settingColumns(encrypt, id, { filters: stream.filters });
        const expiresAt = createdAt + streamLifetimeMs;
        await transaction
          .insertInto('webhooks')
          .values({
            id,
            organization_id: organizationId,
            url,
            events: JSON.stringify(events),
            secret: encryptSecrets(encrypt, id, { current: secret, old: [] }),
            ...columns,
            is_active: 1,
            created_at: createdAt,
            updated_at: createdAt,
            expires_at: expiresAt,
          })
          .execute();
        if (events.includes('url.clicked'))
          await limitClickSubscribers(transaction, organizationId);
        for (const [at, event] of past.entries()) {
          // The times give their order.
          const dueAt = createdAt - past.length + at;
          await this.#outbox.deliverAgain(transaction, [event], id, dueAt);
        }
        const filters = filtersOf(columns.filters ?? null);
        return { ...stream, filters, expiresAt, replayed: past.length };
      },
      { audit: (created) => created && { type: 'webhook', id }, holdsSecret: true },
    );
  }

  /** Makes a connection the only one that follows a stream. Deliveries without an outcome are due again. */
  async connect(
    organizationId: string,
    id: string,
    connectionId: string,
    now: number,
  ): Promise<void> {
    await this.#database.write(organizationId, async (transaction) => {
      await transaction
        .updateTable('webhooks')
        .set({ connection_id: connectionId, expires_at: now + streamLifetimeMs })
        .where('id', '=', id)
        .where('deleted_at', 'is', null)
        .execute();
      await transaction
        .updateTable('deliveries')
        .set({ due_at: sql<number>`next_attempt_at` })
        .where('webhook_id', '=', id)
        .where('due_at', 'is not', null)
        .where('due_at', '>', now)
        .execute();
    });
  }

  /** Returns the state of streams, without those that were deleted or whose organization is suspended. */
  async findStates(ids: readonly string[], now: number) {
    const rows = await this.#database.read
      .selectFrom('webhooks')
      .select(['id', 'organization_id as organizationId', 'connection_id as connectionId'])
      .select(['headers', 'secret'])
      .select((webhook) => oldestDueAt(webhook).as('dueAt'))
      .select(({ selectFrom }) =>
        selectFrom('deliveries')
          .select(({ fn }) => fn.countAll<number>().as('count'))
          .whereRef('deliveries.webhook_id', '=', 'webhooks.id')
          .where('due_at', 'is not', null)
          .where('due_at', '>', now)
          .as('unanswered'),
      )
      .where('id', 'in', ids)
      .where('deleted_at', 'is', null)
      .where(isOfActiveOrganization)
      .execute();
    return rows.map(({ dueAt, unanswered, ...row }) => ({
      id: row.id,
      organizationId: row.organizationId,
      connectionId: row.connectionId,
      endpoint: {
        webhookId: row.id,
        secret: row.secret,
        headers: row.headers,
      },
      /** How many of the due deliveries the client may get. */
      claimable:
        dueAt === null || dueAt > now ? 0 : Math.max(0, maxUnanswered - Number(unanswered)),
    }));
  }

  /** Claims due deliveries of streams until the time limit for their outcomes. */
  claim(claims: readonly { readonly webhookId: string; readonly count: number }[], now: number) {
    return this.#database.writeDirectly(async (transaction) => {
      const rows = await dueDeliveryFinder(this.#database, { skipsLocked: true })(
        transaction,
        claims,
        now,
      );
      const due_at = now + outcomeTimeoutMs;
      const changes = rows.map(({ id }) => ({ set: { due_at }, where: { id } }));
      await this.#database.updateEach(transaction, 'deliveries', changes);
      return rows;
    }, 'rows');
  }

  /** Postpones the expiry of streams that clients read. */
  async renew(ids: readonly string[], now: number): Promise<void> {
    await this.#database.writeDirectly(async (transaction) => {
      await transaction
        .updateTable('webhooks')
        .set({ expires_at: now + streamLifetimeMs })
        .where('id', 'in', ids)
        .where('expires_at', 'is not', null)
        .where('deleted_at', 'is', null)
        .execute();
    }, 'rows');
  }

  /** Records the first outcome of each delivery, which is also the last. Returns their number. */
  recordOutcomes(
    organizationId: string,
    { id, url }: { readonly id: string; readonly url: string },
    outcomes: readonly DeliveryOutcome[],
    now: number,
    write: WriteRequest | undefined,
  ): Promise<IdempotentResult<number>> {
    const byDelivery = new Map(outcomes.map((outcome) => [outcome.deliveryId, outcome]));
    return writeOnce(
      this.#database,
      organizationId,
      write,
      async (transaction) => {
        const pending = await transaction
          .selectFrom('deliveries')
          .innerJoin('events', 'events.id', 'deliveries.event_id')
          .select([
            'deliveries.id',
            'webhook_id as webhookId',
            'attempts',
            'is_charged as isCharged',
          ])
          .select(['events.type as eventType', 'events.body'])
          .where('webhook_id', '=', id)
          .where('deliveries.id', 'in', [...byDelivery.keys()])
          .where('status', '=', 'pending')
          .orderBy('deliveries.id')
          .execute();
        const recorded = await this.#queue.record(
          transaction,
          pending.map((delivery) => {
            const outcome = byDelivery.get(delivery.id) as DeliveryOutcome;
            return { delivery: { ...delivery, organizationId }, url, ...attemptOf(outcome, now) };
          }),
        );
        return recorded.length;
      },
      { audit: (count) => (count > 0 ? { type: 'webhook', id, count } : null) },
    );
  }
}

/** Deletes streams that nobody has read in time. */
export async function deleteExpiredStreams(database: Database, now: number): Promise<void> {
  const expired = await database.read
    .selectFrom('webhooks')
    .select('id')
    .where('expires_at', 'is not', null)
    .where('expires_at', '<=', now)
    .where('deleted_at', 'is', null)
    .execute();
  if (expired.length === 0) return;
  await database.writeDirectly(async (transaction) => {
    await transaction
      .updateTable('webhooks')
      .set({ deleted_at: now, secret: '', headers: null })
      .where('expires_at', '<=', now)
      .where('deleted_at', 'is', null)
      .execute();
  }, 'rows');
}

function attemptOf(
  { statusCode, error, durationMs, responseBody }: DeliveryOutcome,
  now: number,
): Omit<AttemptOutcome, 'delivery' | 'url'> {
  const isSuccess = statusCode !== null && statusCode >= 200 && statusCode < 300;
  const failure =
    statusCode === null ? error || 'No response' : `The receiver answered ${statusCode}`;
  return {
    attemptedAt: now - durationMs,
    durationMs,
    statusCode,
    cause: isSuccess ? null : statusCode === null ? 'reset' : causeOfStatus(statusCode),
    error: isSuccess ? null : storable(failure),
    responseBody: responseBody == null ? null : storable(responseBody),
    // Somebody watches, and can send it again.
    nextAttemptAt: null,
  };
}

/** Replaces what PostgreSQL cannot store. */
function storable(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\uFFFD');
}

/** Returns the last events of an organization that its webhooks got, oldest first. */
async function findPastEvents(
  { read }: Pick<Database, 'read'>,
  organizationId: string,
  events: readonly string[],
  count: number,
): Promise<readonly DeliveredEvent[]> {
  if (count === 0) return [];
  const webhooks = await read
    .selectFrom('webhooks')
    .select('id')
    .where('organization_id', '=', organizationId)
    .where('deleted_at', 'is', null)
    .execute();
  const found = new Map<string, DeliveredEvent>();
  const wanted = eventTypes.filter((type) => wantsType({ events }, type));
  for (const { id } of webhooks) {
    // Each type is read from its index.
    for (const type of wanted) {
      const rows = await read
        .selectFrom('deliveries')
        .select(['event_id', 'event_type', 'url_id'])
        .where('webhook_id', '=', id)
        .where('event_type', '=', type)
        // Neither test events nor replays.
        .where('is_charged', '=', 1)
        .orderBy('created_at', 'desc')
        .orderBy('id', 'desc')
        .limit(count)
        .execute();
      for (const row of rows) found.set(row.event_id, row);
    }
  }
  // Ids of events are in the order of time.
  return [...found.values()]
    .sort((one, other) => (one.event_id < other.event_id ? -1 : 1))
    .slice(-count);
}
