import { disabledRetentionMs } from '../events/event-outbox.js';
import type { Clock } from '../ports.js';
import type { Database, WriteTransaction } from '../storage/database.js';

/** How long finished deliveries are retained for reading and replay. */
export const deliveryRetentionMs = 30 * 24 * 60 * 60 * 1000;

// The most deliveries that one transaction removes. It limits how long the write lock is held.
const batchSize = 500;

/**
 * Removes old finished deliveries with their attempts, events without deliveries, and deleted
 * webhooks with all their deliveries. Pending deliveries of a webhook that the server disabled fail
 * after 30 days, and are then retained for another 30 days.
 */
export class DeliveryPruner {
  readonly #database: Database;
  readonly #clock: Clock;

  constructor(database: Database, clock: Clock) {
    this.#database = database;
    this.#clock = clock;
  }

  /** Returns how many deliveries it removed. */
  async prune(): Promise<number> {
    const now = this.#clock();
    const webhooks = await this.#database.read
      .selectFrom('webhooks')
      .select(['id', 'deleted_at', 'disabled_at'])
      .execute();
    let removed = 0;
    for (const { id, deleted_at, disabled_at } of webhooks) {
      const isDeleted = deleted_at !== null;
      if (!isDeleted && disabled_at !== null && disabled_at <= now - disabledRetentionMs) {
        await this.#failPending(id);
      }
      const retentionMs = deliveryRetentionMs + (disabled_at === null ? 0 : disabledRetentionMs);
      const before = now - retentionMs;
      let count: number;
      do {
        count = await this.#database.writeDirectly((transaction) =>
          isDeleted ? removeAll(transaction, id) : removeOld(transaction, id, before),
        );
        removed += count;
      } while (count === batchSize);
      if (isDeleted) await this.#deleteWebhook(id);
    }
    return removed;
  }

  async #failPending(webhookId: string): Promise<void> {
    let failed: number;
    do {
      failed = await this.#database.writeDirectly((transaction) =>
        failSome(transaction, webhookId),
      );
    } while (failed === batchSize);
  }

  #deleteWebhook(webhookId: string): Promise<void> {
    return this.#database.writeDirectly(async (transaction) => {
      await transaction.deleteFrom('webhooks').where('id', '=', webhookId).execute();
    });
  }
}

/** Fails pending deliveries of a webhook that is still disabled. Returns how many. */
async function failSome(transaction: WriteTransaction, webhookId: string): Promise<number> {
  const { numUpdatedRows } = await transaction
    .updateTable('deliveries')
    .set({
      status: 'failed',
      due_at: null,
      next_attempt_at: null,
      last_error: 'The webhook was disabled for 30 days',
    })
    .where('id', 'in', ({ selectFrom }) =>
      selectFrom('deliveries')
        .innerJoin('webhooks', 'webhooks.id', 'webhook_id')
        .select('deliveries.id')
        .where('webhook_id', '=', webhookId)
        .where('webhooks.disabled_at', 'is not', null)
        .where('due_at', 'is not', null)
        .limit(batchSize),
    )
    .executeTakeFirstOrThrow();
  return Number(numUpdatedRows);
}

async function removeOld(
  transaction: WriteTransaction,
  webhookId: string,
  before: number,
): Promise<number> {
  const rows = await transaction
    .selectFrom('deliveries')
    .select(['id', 'event_id'])
    .where('webhook_id', '=', webhookId)
    .where('created_at', '<', before)
    .where('status', '!=', 'pending')
    .orderBy('created_at')
    .limit(batchSize)
    .execute();
  return remove(transaction, rows);
}

async function removeAll(transaction: WriteTransaction, webhookId: string): Promise<number> {
  const rows = await transaction
    .selectFrom('deliveries')
    .select(['id', 'event_id'])
    .where('webhook_id', '=', webhookId)
    .limit(batchSize)
    .execute();
  return remove(transaction, rows);
}

async function remove(
  transaction: WriteTransaction,
  deliveries: readonly { id: string; event_id: string }[],
): Promise<number> {
  if (deliveries.length === 0) return 0;
  const ids = deliveries.map(({ id }) => id);
  const eventIds = [...new Set(deliveries.map(({ event_id }) => event_id))];
  await transaction.deleteFrom('delivery_attempts').where('delivery_id', 'in', ids).execute();
  await transaction.deleteFrom('deliveries').where('id', 'in', ids).execute();
  await transaction
    .deleteFrom('events')
    .where('id', 'in', eventIds)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('deliveries').select('id').whereRef('deliveries.event_id', '=', 'events.id'),
        ),
      ),
    )
    .execute();
  return deliveries.length;
}
