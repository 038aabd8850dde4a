import { sql } from 'kysely';
import { disabledRetentionMs } from '../events/event-outbox.js';
import type { Database, Schema, WriteTransaction } from '../storage/database.js';
import { runInBatches } from '../storage/run-in-batches.js';

/** How long delivered clicks are retained. A webhook can have a delivery of 100 KB each second. */
export const clickRetentionMs = 24 * 60 * 60 * 1000;
/** How long other finished deliveries are retained for reading and replay. */
export const deliveryRetentionMs = 30 * 24 * 60 * 60 * 1000;
/** How long events are listed. Clicks are removed with their delivery. */
const eventRetentionMs = deliveryRetentionMs;

// The maximum number of deliveries that one transaction changes. It limits the time of the write lock.
const batchSize = 100;

type DeliveryIds = Pick<Schema['deliveries'], 'id'>;
type WebhookTimes = Pick<
  Schema['webhooks'],
  'id' | 'organization_id' | 'deleted_at' | 'disabled_at'
>;

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
  const webhooks = await database.read
    .selectFrom('webhooks')
    .select(['id', 'organization_id', 'deleted_at', 'disabled_at'])
    .execute();
  let removed = 0;
  for (const webhook of webhooks) {
    if (signal?.aborted) break;
    removed += await pruneWebhook(database, webhook, now, signal);
  }
  await pruneEvents(database, now, signal);
  return removed;
}

async function pruneWebhook(
  database: Database,
  { id, organization_id: organizationId, deleted_at, disabled_at }: WebhookTimes,
  now: number,
  signal: AbortSignal | undefined,
): Promise<number> {
  /** Changes all deliveries that `find` returns, one transaction per batch. Returns their number. */
  function inBatches(
    find: { execute(): Promise<readonly DeliveryIds[]> },
    change: (transaction: WriteTransaction, batch: readonly DeliveryIds[]) => Promise<number>,
  ): Promise<number> {
    const changeBatch = async () => {
      const batch = await find.execute();
      if (batch.length === 0) return 0;
      return database.writeDirectly((transaction) => change(transaction, batch), {
        organizationId,
      });
    };
    return runInBatches(batchSize, changeBatch, signal);
  }

  const own = database.read
    .selectFrom('deliveries')
    .select('id')
    .where('webhook_id', '=', id)
    .limit(batchSize);
  if (deleted_at !== null) {
    const removed = await inBatches(own, remove);
    if (signal?.aborted) return removed;
    // Another node that deletes the same batch ends this one's batches early.
    const hasDeliveries = database.read
      .selectFrom('deliveries')
      .select('id')
      .where('webhook_id', '=', id);
    await database.writeDirectly(
      async (transaction) => {
        await transaction
          .deleteFrom('webhooks')
          .where('id', '=', id)
          .where(({ not, exists }) => not(exists(hasDeliveries)))
          // The batches of clicks are removed elsewhere.
          .where(({ not, exists, selectFrom }) =>
            not(exists(selectFrom('click_queues').select('waiting').where('webhook_id', '=', id))),
          )
          .execute();
      },
      { organizationId },
    );
    return removed;
  }
  if (disabled_at !== null && disabled_at <= now - disabledRetentionMs) {
    await inBatches(own.where('due_at', 'is not', null), fail);
  }
  const clicks = own
    .where('event_type', '=', 'url.clicked')
    .where('status', '=', 'delivered')
    .where('created_at', '<', now - clickRetentionMs);
  const removed = await inBatches(clicks, remove);
  const retentionMs = deliveryRetentionMs + (disabled_at === null ? 0 : disabledRetentionMs);
  const finished = own
    .where('status', 'in', ['delivered', 'failed'])
    // A literal: the partial index of finished deliveries has this condition.
    .where('status', '<>', sql.lit('pending'))
    .where('created_at', '<', now - retentionMs);
  return removed + (await inBatches(finished, remove));
}

/** Fails pending deliveries whose webhook is still disabled. Returns their number. */
async function fail(transaction: WriteTransaction, batch: readonly DeliveryIds[]): Promise<number> {
  const { numUpdatedRows } = await transaction
    .updateTable('deliveries')
    .set({ status: 'failed', due_at: null, next_attempt_at: null })
    .set({ last_error: 'The webhook was disabled for 30 days' })
    .where('id', 'in', idsOf(batch))
    .where('due_at', 'is not', null)
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('webhooks')
          .select('webhooks.id')
          .whereRef('webhooks.id', '=', 'deliveries.webhook_id')
          .where('disabled_at', 'is not', null),
      ),
    )
    .executeTakeFirstOrThrow();
  return Number(numUpdatedRows);
}

/** Removes deliveries with their attempts. */
async function remove(
  transaction: WriteTransaction,
  batch: readonly DeliveryIds[],
): Promise<number> {
  const ids = idsOf(batch);
  await transaction.deleteFrom('delivery_attempts').where('delivery_id', 'in', ids).execute();
  const { numDeletedRows } = await transaction
    .deleteFrom('deliveries')
    .where('id', 'in', ids)
    .executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}

/** Removes events that are listed no more, and have no deliveries. */
async function pruneEvents(
  database: Database,
  now: number,
  signal: AbortSignal | undefined,
): Promise<void> {
  const old = database.read
    .selectFrom('events')
    .select('id')
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('deliveries').select('id').whereRef('deliveries.event_id', '=', 'events.id'),
        ),
      ),
    )
    .orderBy('created_at')
    .limit(batchSize);
  const finds = [
    old.where('created_at', '<', now - eventRetentionMs),
    old.where('type', '=', sql.lit('url.clicked')).where('created_at', '<', now - clickRetentionMs),
  ];
  for (const find of finds) {
    await runInBatches(
      batchSize,
      async () => {
        const ids = (await find.execute()).map(({ id }) => id);
        if (ids.length === 0) return 0;
        const { numDeletedRows } = await database.writeDirectly(
          (transaction) =>
            transaction.deleteFrom('events').where('id', 'in', ids).executeTakeFirstOrThrow(),
          'rows',
        );
        return Number(numDeletedRows);
      },
      signal,
    );
  }
}

function idsOf(batch: readonly DeliveryIds[]): string[] {
  return batch.map(({ id }) => id);
}
