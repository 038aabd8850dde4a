import { sql } from 'kysely';
import type { Database, WriteTransaction } from './database.js';
import { prepare } from './prepared.js';

/** The number of deliveries that the dispatcher wants to claim for a webhook. */
export interface Claim {
  readonly webhookId: string;
  readonly count: number;
}

export type DueDelivery = Awaited<ReturnType<ReturnType<typeof dueDeliveryFinder>>>[number];

/**
 * Returns a function that finds the oldest due deliveries of each webhook. It skips those that another
 * dispatcher is claiming.
 */
export function dueDeliveryFinder({ engine, read }: Pick<Database, 'engine' | 'read'>) {
  const query = read
    .selectFrom('deliveries')
    .innerJoin('webhooks', 'webhooks.id', 'deliveries.webhook_id')
    .innerJoin('organizations', 'organizations.id', 'webhooks.organization_id')
    .innerJoin('events', 'events.id', 'deliveries.event_id')
    .select(['deliveries.id', 'webhook_id as webhookId', 'deliveries.attempts'])
    // 1 if it counts in the organization's usage when it is delivered.
    .select('is_charged as isCharged')
    .select(['events.organization_id as organizationId', 'events.type as eventType', 'events.body'])
    .where('webhook_id', '=', '')
    .where('webhooks.is_active', '=', sql.lit(1))
    .where('webhooks.deleted_at', 'is', null)
    .where('webhooks.unsubscribed_at', 'is', null)
    .where('organizations.suspended_at', 'is', null)
    .where('due_at', 'is not', null)
    .where('due_at', '<=', 0)
    .orderBy('due_at')
    .limit(1);
  // The only writer of SQLite needs no row locks.
  const dueOf = prepare(engine === 'postgres' ? query.forUpdate('deliveries').skipLocked() : query);

  return async (transaction: WriteTransaction, claims: readonly Claim[], now: number) => {
    const due = [];
    for (const { webhookId, count } of claims) {
      const { rows } = await transaction.executeQuery(dueOf(webhookId, now, count));
      due.push(...rows);
    }
    return due;
  };
}
