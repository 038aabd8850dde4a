import { type Kysely, type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Page } from '../contract/fields.js';
import type { WithIsoTimes } from '../contract/present.js';
import type { EventOutbox } from '../events/event-outbox.js';
import type { EventType } from '../events/event-types.js';
import {
  type IdempotentResult,
  type WriteContext,
  writeOnce,
} from '../idempotency/with-idempotency-key.js';
import type { Database } from '../storage/database.js';
import { allOf, createdWithin, type ListQuery, readList } from '../storage/list-page.js';
import type { Schema } from '../storage/schema.js';
import { eventExamples } from './event-examples.js';
import {
  type DeliveryFilter,
  type deliveryStatuses,
  maxRecovered,
  type RecoverRequest,
} from './webhook-contract.js';

export type Delivery = Awaited<ReturnType<ReturnType<typeof selectDeliveries>['execute']>>[number];

export type DeliveryRecord = WithIsoTimes<Delivery>;

export type DeliveryRepository = ReturnType<typeof createDeliveryRepository>;

/** Reads and creates deliveries for the API. Every method is one transaction. */
export function createDeliveryRepository(database: Database, outbox: EventOutbox) {
  return {
    /** Returns a delivery with its attempts, read in one snapshot. */
    find: (webhookId: string, id: string) =>
      database.snapshot(async (db) => {
        const delivery = await selectDeliveries(db)
          .select('events.body as requestBody')
          .where('webhook_id', '=', webhookId)
          .where('deliveries.id', '=', id)
          .executeTakeFirst();
        if (!delivery) return undefined;
        const attemptHistory = await db
          .selectFrom('delivery_attempts')
          .select(['number', 'attempted_at as attemptedAt', 'duration_ms as durationMs'])
          .select(['status_code as statusCode', 'error', 'response_body as responseBody'])
          .where('delivery_id', '=', id)
          .orderBy('number')
          .execute();
        return { ...delivery, attemptHistory };
      }),

    /** Records the example of an event for one webhook only, and returns its delivery. */
    sendExample(
      webhookId: string,
      type: EventType,
      { organizationId, now, write }: WriteContext,
    ): Promise<IdempotentResult<Delivery>> {
      const audit = ({ id }: Delivery) => ({ type: 'delivery', id }) as const;
      return writeOnce(database, { organizationId, write, audit }, async (transaction) => {
        const event = { organizationId, now, data: eventExamples[type] };
        const id = await outbox.recordTest(transaction, type, webhookId, event);
        return getDelivery(transaction, id);
      });
    },

    /** Creates another delivery of the same event. Returns null when the delivery is unknown. */
    replay(
      webhookId: string,
      id: string,
      { organizationId, now, write }: WriteContext,
    ): Promise<IdempotentResult<Delivery | null>> {
      const audit = (again: Delivery | null) =>
        again && ({ type: 'delivery', id: again.id } as const);
      return writeOnce(database, { organizationId, write, audit }, async (transaction) => {
        const events = await transaction
          .selectFrom('deliveries')
          .select(['event_id', 'event_type'])
          .where('webhook_id', '=', webhookId)
          .where('id', '=', id)
          .execute();
        const [newId] = await outbox.deliverAgain(transaction, events, webhookId, now);
        return newId === undefined ? null : getDelivery(transaction, newId);
      });
    },

    /** Creates deliveries of the events of `findFailed`, at most `maxRecovered`. */
    recover(webhookId: string, found: readonly string[], context: WriteContext) {
      const audit = { type: 'webhook', id: webhookId } as const;
      return writeOnce(database, { ...context, audit }, async (transaction) => {
        // Another request may have recovered some of them since.
        const failed = await selectFailed(transaction, webhookId)
          .where('id', 'in', found.slice(0, maxRecovered))
          .execute();
        await outbox.deliverAgain(transaction, failed, webhookId, context.now);
        return { created: failed.length, hasMore: found.length > maxRecovered };
      });
    },
  };
}

/**
 * Returns the failed deliveries of a range whose event was not delivered to the webhook again since, oldest
 * first, up to one more than a recovery takes. Reads all failed deliveries of the range if there are fewer.
 */
export async function findFailed(
  { read }: Pick<Database, 'read'>,
  webhookId: string,
  { since, until, eventType }: RecoverRequest,
): Promise<readonly string[]> {
  const rows = await selectFailed(read, webhookId)
    .where(sql<SqlBool>`${createdWithin(since, until)}`)
    .$if(eventType !== undefined, (query) => query.where('event_type', '=', eventType as string))
    .limit(maxRecovered + 1)
    .execute();
  return rows.map(({ id }) => id);
}

function selectFailed(db: Kysely<Schema>, webhookId: string) {
  return (
    db
      .selectFrom('deliveries')
      .select(['id', 'event_id', 'event_type'])
      .where('webhook_id', '=', webhookId)
      // Literals: the partial index of finished deliveries has this condition.
      .where(sql<SqlBool>`status = 'failed' and status <> 'pending'`)
      // As an expression, the webhook's id cannot select the index of all its deliveries.
      .where(
        sql<SqlBool>`not exists (select 1 from deliveries as later
          where later.event_id = deliveries.event_id and later.webhook_id || '' = ${webhookId}
            and (later.created_at, later.id) > (deliveries.created_at, deliveries.id))`,
      )
      .orderBy('created_at')
      .orderBy('id')
  );
}

export function listDeliveries(
  database: Database,
  webhookId: string,
  filter: DeliveryFilter,
): Promise<Page<Delivery>> {
  return readList<string, Delivery>(database, deliveryListQuery(webhookId, filter), (ids) =>
    selectDeliveries(database.read).where('deliveries.id', 'in', ids).execute(),
  );
}

export function deliveryListQuery(
  webhookId: string,
  { status, eventType, since, until, ...range }: DeliveryFilter,
): ListQuery {
  // Literals: with a parameter, the planner cannot use the partial index of finished deliveries.
  const isFinished = sql`status = ${sql.lit(status ?? '')} and status <> 'pending'`;
  const conditions = new Map<string, RawBuilder<unknown>>();
  // By index, the most selective first. The first one finds the rows.
  if (status === 'failed') conditions.set('deliveries_finished', isFinished);
  if (eventType) conditions.set('deliveries_by_type', sql`event_type = ${eventType}`);
  if (status === 'delivered') conditions.set('deliveries_finished', isFinished);
  const [[index, first] = ['deliveries_by_webhook', undefined], ...others] = conditions;
  return {
    table: 'deliveries',
    owner: { column: 'webhook_id', value: webhookId },
    index,
    indexed: allOf(createdWithin(since, until), first),
    condition: allOf(
      ...others.map(([, condition]) => condition),
      status === 'pending' && sql`status = 'pending'`,
    ),
    ...range,
  };
}

function getDelivery(db: Kysely<Schema>, id: string): Promise<Delivery> {
  return selectDeliveries(db).where('deliveries.id', '=', id).executeTakeFirstOrThrow();
}

function selectDeliveries(db: Kysely<Schema>) {
  return db
    .selectFrom('deliveries')
    .innerJoin('events', 'events.id', 'deliveries.event_id')
    .select(['deliveries.id', 'webhook_id as webhookId', 'event_id as eventId', 'attempts'])
    .select(['events.type as eventType', 'status', 'due_at as nextAttemptAt'])
    .select(['last_status_code as lastStatusCode', 'last_error as lastError'])
    .select(['deliveries.created_at as createdAt', 'delivered_at as deliveredAt'])
    .$narrowType<{ eventType: EventType; status: (typeof deliveryStatuses)[number] }>();
}
