import { sql } from 'kysely';
import { disabledRetentionMs } from '../events/event-outbox.js';
import type { Clock } from '../ports.js';
import type { Database, WriteTransaction } from '../storage/database.js';
import { yieldToEventLoop } from '../yield-to-event-loop.js';

/** How long finished deliveries are retained for reading and replay. */
export const deliveryRetentionMs = 30 * 24 * 60 * 60 * 1000;

// The most deliveries that one transaction changes. It limits how long the write lock is held.
const batchSize = 100;
const webhooksAtOnce = 100;

interface DeliveryIds {
  readonly id: string;
  readonly event_id: string;
}

interface WebhookTimes {
  readonly id: string;
  readonly deleted_at: number | null;
  readonly disabled_at: number | null;
}

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
  async prune(signal?: AbortSignal): Promise<number> {
    const now = this.#clock();
    let removed = 0;
    let webhooks: readonly WebhookTimes[] = [];
    do {
      webhooks = await this.#database.read
        .selectFrom('webhooks')
        .select(['id', 'deleted_at', 'disabled_at'])
        .where('id', '>', webhooks.at(-1)?.id ?? '')
        .orderBy('id')
        .limit(webhooksAtOnce)
        .execute();
      for (const webhook of webhooks) {
        if (signal?.aborted) return removed;
        removed += await this.#pruneWebhook(webhook, now, signal);
      }
      await yieldToEventLoop();
    } while (webhooks.length === webhooksAtOnce);
    return removed;
  }

  async #pruneWebhook(
    { id, deleted_at, disabled_at }: WebhookTimes,
    now: number,
    signal: AbortSignal | undefined,
  ): Promise<number> {
    const own = this.#database.read
      .selectFrom('deliveries')
      .select(['id', 'event_id'])
      .where('webhook_id', '=', id)
      .limit(batchSize);
    if (deleted_at !== null) {
      const removed = await this.#inBatches(() => own.execute(), remove, signal);
      if (!signal?.aborted) await this.#deleteWebhook(id);
      return removed;
    }
    if (disabled_at !== null && disabled_at <= now - disabledRetentionMs) {
      const pending = own.where('due_at', 'is not', null);
      await this.#inBatches(() => pending.execute(), fail, signal);
    }
    const retentionMs = deliveryRetentionMs + (disabled_at === null ? 0 : disabledRetentionMs);
    const finished = own
      .where('status', 'in', ['delivered', 'failed'])
      // A literal: the partial index of finished deliveries has this condition.
      .where('status', '<>', sql.lit('pending'))
      .where('created_at', '<', now - retentionMs);
    return this.#inBatches(() => finished.execute(), remove, signal);
  }

  /** Changes all deliveries that `find` returns, in a transaction for each batch. Returns how many. */
  async #inBatches(
    find: () => Promise<readonly DeliveryIds[]>,
    change: (transaction: WriteTransaction, batch: readonly DeliveryIds[]) => Promise<bigint>,
    signal: AbortSignal | undefined,
  ): Promise<number> {
    let total = 0;
    while (!signal?.aborted) {
      const batch = await find();
      if (batch.length === 0) break;
      const changed = await this.#database.writeDirectly((transaction) =>
        change(transaction, batch),
      );
      total += Number(changed);
      if (Number(changed) < batchSize) break;
      await yieldToEventLoop();
    }
    return total;
  }

  #deleteWebhook(webhookId: string): Promise<void> {
    return this.#database.writeDirectly(async (transaction) => {
      await transaction.deleteFrom('webhooks').where('id', '=', webhookId).execute();
    });
  }
}

/** Fails pending deliveries whose webhook is still disabled. Returns how many. */
async function fail(transaction: WriteTransaction, batch: readonly DeliveryIds[]): Promise<bigint> {
  const { numUpdatedRows } = await transaction
    .updateTable('deliveries')
    .set({
      status: 'failed',
      due_at: null,
      next_attempt_at: null,
      last_error: 'The webhook was disabled for 30 days',
    })
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
  return numUpdatedRows;
}

/** Removes deliveries with their attempts, and events that are left without deliveries. */
async function remove(
  transaction: WriteTransaction,
  batch: readonly DeliveryIds[],
): Promise<bigint> {
  const ids = idsOf(batch);
  const eventIds = [...new Set(batch.map(({ event_id }) => event_id))];
  await transaction.deleteFrom('delivery_attempts').where('delivery_id', 'in', ids).execute();
  const { numDeletedRows } = await transaction
    .deleteFrom('deliveries')
    .where('id', 'in', ids)
    .executeTakeFirstOrThrow();
  await transaction
    .deleteFrom('events')
    .where('id', 'in', eventIds)
    .where('webhook_ids', 'is', null)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('deliveries').select('id').whereRef('deliveries.event_id', '=', 'events.id'),
        ),
      ),
    )
    .execute();
  return numDeletedRows;
}

function idsOf(batch: readonly DeliveryIds[]): string[] {
  return batch.map(({ id }) => id);
}
