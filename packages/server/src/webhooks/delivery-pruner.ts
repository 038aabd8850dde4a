import { type Kysely, type RawBuilder, type SqlBool, sql } from 'kysely';
import { disabledRetentionMs } from '../events/event-outbox.js';
import { runInBatches } from '../storage/batches.js';
import type { Database, Schema, WriteTransaction } from '../storage/database.js';

/** How long delivered clicks are retained. A webhook can have several of 100 KB a second. */
export const clickRetentionMs = 24 * 60 * 60 * 1000;
/** How long other finished deliveries are retained for reading and replay, and events are listed. */
export const deliveryRetentionMs = 30 * 24 * 60 * 60 * 1000;

// The maximum number of rows that one transaction changes. It limits the time of the write lock.
const batchSize = 100;

/**
 * Removes old finished deliveries with their attempts, old events without deliveries, and deleted
 * webhooks with all their deliveries. Pending deliveries of a webhook that the server disabled fail
 * after 30 days, and are then retained for another 30 days. Returns the number of removed deliveries.
 */
export async function pruneDeliveries(
  database: Database,
  now: number,
  signal?: AbortSignal,
): Promise<number> {
  const inBatches = (change: (transaction: WriteTransaction) => Promise<number>) =>
    runInBatches(batchSize, () => database.writeDirectly(change, 'rows'), signal);

  await inBatches((transaction) => failPending(transaction, now - disabledRetentionMs));
  const deliveredClicks = sql<SqlBool>`event_type = 'url.clicked' and status = 'delivered'
    and deliveries.created_at < ${now - clickRetentionMs}`;
  const before = sql`cast(${now - deliveryRetentionMs} as bigint)`;
  const longer = sql`case when disabled_at is null then 0 else ${sql.lit(disabledRetentionMs)} end`;
  // The partial index of finished deliveries has the second condition.
  const finished = sql<SqlBool>`status in ('delivered', 'failed') and status <> 'pending'
    and deliveries.created_at < ${before} - ${longer}`;
  let removed = 0;
  for (const condition of [sql<SqlBool>`deleted_at is not null`, deliveredClicks, finished]) {
    removed += await inBatches((transaction) => removeDeliveries(transaction, condition));
  }
  await inBatches(removeWebhooks);
  const clicks = sql<SqlBool>`type = 'url.clicked' and created_at < ${now - clickRetentionMs}`;
  for (const condition of [sql<SqlBool>`created_at < ${now - deliveryRetentionMs}`, clicks]) {
    await inBatches((transaction) => removeEvents(transaction, condition));
  }
  return removed;
}

/** Selects deliveries. SQLite begins a cross join with the first table, so it reads those of each webhook by an index. */
function selectDeliveries(db: Kysely<Schema>) {
  return db
    .selectFrom('webhooks')
    .crossJoin('deliveries')
    .select('deliveries.id')
    .whereRef('webhook_id', '=', 'webhooks.id')
    .limit(batchSize);
}

async function failPending(transaction: WriteTransaction, disabledBy: number): Promise<number> {
  const pending = selectDeliveries(transaction)
    .where('due_at', 'is not', null)
    .where('disabled_at', '<=', disabledBy);
  const { numUpdatedRows } = await transaction
    .updateTable('deliveries')
    .set({ status: 'failed', due_at: null })
    .set({ last_error: 'The webhook was disabled for 30 days' })
    .where('id', 'in', pending)
    .executeTakeFirstOrThrow();
  return Number(numUpdatedRows);
}

async function removeDeliveries(
  transaction: WriteTransaction,
  condition: RawBuilder<SqlBool>,
): Promise<number> {
  const deleted = await transaction
    .deleteFrom('deliveries')
    .where('id', 'in', selectDeliveries(transaction).where(condition))
    .returning('id')
    .execute();
  if (deleted.length === 0) return 0;
  const ids = deleted.map(({ id }) => id);
  await transaction.deleteFrom('delivery_attempts').where('delivery_id', 'in', ids).execute();
  return deleted.length;
}

async function removeWebhooks(transaction: WriteTransaction): Promise<number> {
  const { numAffectedRows } = await sql`delete from webhooks where deleted_at is not null
    and not exists (select 1 from deliveries where webhook_id = webhooks.id)`.execute(transaction);
  return Number(numAffectedRows);
}

/** Removes events that are listed no more, and have no deliveries. */
async function removeEvents(
  transaction: WriteTransaction,
  condition: RawBuilder<SqlBool>,
): Promise<number> {
  const { numAffectedRows } = await sql`delete from events where id in (
    select id from events where ${condition}
      and not exists (select 1 from deliveries where event_id = events.id)
    order by created_at limit ${sql.lit(batchSize)})`.execute(transaction);
  return Number(numAffectedRows);
}
