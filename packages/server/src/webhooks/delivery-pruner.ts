import type { Clock } from '../ports.js';
import type { Database, WriteTransaction } from '../storage/database.js';

/** How long deliveries that are over can be read and replayed. */
export const deliveryRetentionMs = 30 * 24 * 60 * 60 * 1000;

// One transaction holds the write lock for so many deliveries at the most.
const batchSize = 500;

/**
 * Removes what is over and old: deliveries with their attempts, events that no delivery is left of,
 * and webhooks that were deleted. What is pending stays, unless its webhook was deleted.
 */
export class DeliveryPruner {
  readonly #database: Database;
  readonly #clock: Clock;

  constructor(database: Database, clock: Clock) {
    this.#database = database;
    this.#clock = clock;
  }

  /** How many deliveries were removed. */
  async runOnce(): Promise<number> {
    const before = this.#clock() - deliveryRetentionMs;
    const webhooks = await this.#database.read
      .selectFrom('webhooks')
      .select(['id', 'deleted_at'])
      .execute();
    let removed = 0;
    for (const { id, deleted_at } of webhooks) {
      const isDeleted = deleted_at !== null;
      let count: number;
      do {
        count = await this.#database.write((transaction) =>
          isDeleted ? removeAll(transaction, id) : removeOld(transaction, id, before),
        );
        removed += count;
      } while (count === batchSize);
      if (isDeleted) await this.#forget(id);
    }
    return removed;
  }

  #forget(webhookId: string): Promise<void> {
    return this.#database.write(async (transaction) => {
      await transaction.deleteFrom('webhooks').where('id', '=', webhookId).execute();
    });
  }
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
