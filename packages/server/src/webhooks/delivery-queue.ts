import { type SqlBool, sql } from 'kysely';
import { columnsOf } from '../contract/present.js';
import type { EventOutbox } from '../events/event-outbox.js';
import { subscriptionOf, wantsEvent } from '../events/subscription.js';
import { countUses, UsageTally } from '../organizations/usage-meters.js';
import type { Database, WriteTransaction } from '../storage/database.js';
import { prepare } from '../storage/prepared.js';
import type { Schema } from '../storage/schema.js';
import { bulkInsert, updateEach } from '../storage/statements.js';
import {
  type AttemptOutcome,
  type ClaimedDelivery,
  maxPendingCounted,
  type Receiver,
} from './attempt.js';
import { recordHealth } from './endpoint-health.js';

// The webhooks of suspended organizations send nothing.
const isOfActiveOrganization = sql<SqlBool>`not exists (select 1 from organizations
  where organizations.id = webhooks.organization_id and suspended_at is not null)`;

export interface Claim {
  readonly webhookId: string;
  readonly count: number;
}

/** What a dispatcher writes and wants in one transaction. */
export interface Exchange {
  readonly outcomes: readonly AttemptOutcome[];
  readonly claims: readonly Claim[];
}

export type DeliveryQueue = ReturnType<typeof createDeliveryQueue>;

/**
 * The pending deliveries in storage. Dispatchers lease deliveries and record outcomes here. An endpoint is
 * disabled when all its attempts fail for `disableAfterMs`; 0 disables none.
 */
export function createDeliveryQueue(
  database: Database,
  outbox: Pick<EventOutbox, 'record'>,
  disableAfterMs: number,
) {
  const { read } = database;
  const isPostgres = database.engine === 'postgres';
  // All nodes share the clock of the database.
  const now = isPostgres
    ? sql<number>`cast(extract(epoch from clock_timestamp()) * 1000 as bigint)`
    : sql<number>`cast(unixepoch('subsec') * 1000 as integer)`;
  const isFree = sql<SqlBool>`(leased_until is null or leased_until <= ${now})`;
  const lease = prepare(
    (claim: { webhookId: string; dueBy: number; leaseMs: number; count: number }) => {
      const due = read
        .selectFrom('deliveries')
        .select('id')
        .where('webhook_id', '=', claim.webhookId)
        .where('due_at', 'is not', null)
        .where('due_at', '<=', claim.dueBy)
        .where(isFree)
        .orderBy('due_at')
        .limit(claim.count);
      // The only writer of SQLite needs no row locks.
      const locked = isPostgres ? due.forUpdate().skipLocked() : due;
      return read
        .updateTable('deliveries')
        .set({ leased_until: sql<number>`${now} + ${claim.leaseMs}` })
        .where('id', 'in', locked)
        .returning(['id', 'webhook_id as webhookId', 'event_id as eventId', 'attempts'])
        .returning(['is_charged as isCharged', 'due_at as dueAt']);
    },
  );

  async function record(
    transaction: WriteTransaction,
    outcomes: readonly AttemptOutcome[],
  ): Promise<void> {
    const changed = await updateEach(transaction, 'deliveries', outcomes.map(changeOf));
    // No change: the lease had expired, and another dispatcher has recorded an outcome.
    const recorded = outcomes.filter((_, at) => changed[at]);
    const charged = new UsageTally();
    for (const outcome of recorded) {
      const { isCharged, receiver } = outcome.delivery;
      const deliveredAt = deliveredAtOf(outcome);
      if (deliveredAt !== null && isCharged === 1) {
        charged.add(receiver.organizationId, deliveredAt);
      }
    }
    await bulkInsert(transaction, 'delivery_attempts', recorded.map(attemptOf));
    await countUses(transaction, 'webhook_delivery', charged);
    await recordHealth(database, outbox, transaction, recorded, disableAfterMs);
  }

  return {
    /** Returns the active webhooks that have deliveries to lease, and when the oldest became due. */
    async findDue(dueBy: number) {
      const { rows } = await sql<{ readonly webhookId: string; readonly dueAt: number }>`
        select * from (
          select id as "webhookId",
            (select due_at from deliveries where webhook_id = webhooks.id and due_at is not null
              and ${isFree} order by due_at limit 1) as "dueAt"
          from webhooks
          where is_active = 1 and deleted_at is null and ${isOfActiveOrganization}
        ) as oldest where "dueAt" <= ${dueBy}`.execute(read);
      return rows;
    },

    /** Returns the number of pending deliveries, up to a maximum. Counting that takes about 2 ms. */
    async countPending(): Promise<number> {
      const { rows } = await sql<{ pending: number }>`select count(*) as pending from (
        select 1 from deliveries where due_at is not null
        limit ${sql.lit(maxPendingCounted)}) as counted`.execute(read);
      return rows[0]?.pending ?? 0;
    },

    /**
     * Records outcomes, and leases due deliveries for `leaseMs`. A delivery whose outcome is not
     * recorded before its lease expires is due again. Returns the leased deliveries, oldest first, and the
     * webhooks that may have more.
     */
    exchange: ({ outcomes, claims }: Exchange, dueBy: number, leaseMs: number) =>
      database.writeDirectly(async (transaction) => {
        if (isPostgres) await preferIndexes(transaction);
        if (outcomes.length > 0) await record(transaction, outcomes);
        const receivers = await findReceivers(transaction, claims);
        const leased = [];
        const more: string[] = [];
        for (const { webhookId, count } of claims) {
          if (!receivers.has(webhookId)) continue;
          const query = lease({ webhookId, dueBy, leaseMs, count });
          const { rows } = await transaction.executeQuery(query);
          leased.push(...rows);
          if (rows.length === count) more.push(webhookId);
        }
        return { deliveries: await toSend(transaction, leased, receivers), more };
      }, 'rows'),
  };
}

/** Returns the active webhooks among these, by id, as they are now. */
async function findReceivers(transaction: WriteTransaction, claims: readonly Claim[]) {
  const ids = claims.map(({ webhookId }) => webhookId);
  if (ids.length === 0) return new Map<string, Receiver>();
  const rows = await transaction
    .selectFrom('webhooks')
    .select(['id as webhookId', 'organization_id as organizationId', 'url', 'headers', 'secret'])
    .select(['events', 'filters'])
    .where('id', 'in', ids)
    .where('is_active', '=', 1)
    .where('deleted_at', 'is', null)
    .where(isOfActiveOrganization)
    .execute();
  return new Map(rows.map((row): [string, Receiver] => [row.webhookId, row]));
}

interface LeasedRow extends Pick<ClaimedDelivery, 'id' | 'webhookId' | 'attempts' | 'isCharged'> {
  readonly eventId: string;
  readonly dueAt: number | null;
}

/** Adds bodies and receivers to leased deliveries. Those that the webhook no longer wants fail. */
async function toSend(
  transaction: WriteTransaction,
  leased: readonly LeasedRow[],
  receivers: ReadonlyMap<string, Receiver>,
): Promise<ClaimedDelivery[]> {
  if (leased.length === 0) return [];
  const ids = [...new Set(leased.map(({ eventId }) => eventId))];
  const events = await transaction
    .selectFrom('events')
    .select(['id', 'type', 'body', 'url_id', 'domain_id', 'tags'])
    .where('id', 'in', ids)
    .execute();
  const byId = new Map(events.map((event) => [event.id, event]));
  const wanted: ClaimedDelivery[] = [];
  const unwanted: string[] = [];
  for (const row of [...leased].sort((a, b) => Number(a.dueAt) - Number(b.dueAt))) {
    const event = byId.get(row.eventId);
    const receiver = receivers.get(row.webhookId);
    if (!event || !receiver) continue;
    // Test events and replays are always wanted.
    if (row.isCharged === 1 && !wantsEvent(subscriptionOf(receiver), event)) unwanted.push(row.id);
    else wanted.push({ ...row, receiver, eventType: event.type, body: event.body });
  }
  const last_error = 'The webhook no longer subscribes to this event';
  const set = { status: 'failed', ...notDue, last_error };
  const changes = unwanted.map((id) => ({ set, where: { id, status: 'pending' } }));
  await updateEach(transaction, 'deliveries', changes);
  return wanted;
}

const notDue = { due_at: null, leased_until: null };

// Without statistics about a new backlog, PostgreSQL's planner would sort all of it for each claim, or
// read the whole table for some outcomes.
const avoided = ['seqscan', 'bitmapscan', 'hashjoin', 'mergejoin', 'sort'];

/** Makes PostgreSQL read rows by their indexes in a transaction. */
async function preferIndexes(transaction: WriteTransaction): Promise<void> {
  const off = avoided.map((plan) => sql`set_config(${sql.lit(`enable_${plan}`)}, 'off', true)`);
  await sql`select ${sql.join(off)}`.execute(transaction);
}

function deliveredAtOf({ error, attemptedAt, durationMs }: AttemptOutcome): number | null {
  return error === null ? attemptedAt + durationMs : null;
}

function attemptOf({ delivery, url, nextAttemptAt, ...attempt }: AttemptOutcome) {
  const key = { deliveryId: delivery.id, number: delivery.attempts + 1 };
  return columnsOf<Schema['delivery_attempts']>({ ...key, ...attempt });
}

/** Returns the update that records an outcome. It matches no row once another outcome is recorded. */
function changeOf(outcome: AttemptOutcome) {
  const { delivery, nextAttemptAt, statusCode, error } = outcome;
  const status = error === null ? 'delivered' : nextAttemptAt === null ? 'failed' : 'pending';
  return {
    set: {
      status,
      attempts: delivery.attempts + 1,
      due_at: nextAttemptAt,
      leased_until: null,
      last_status_code: statusCode,
      last_error: error,
      delivered_at: deliveredAtOf(outcome),
    },
    where: { id: delivery.id, attempts: delivery.attempts, status: 'pending' },
  };
}
