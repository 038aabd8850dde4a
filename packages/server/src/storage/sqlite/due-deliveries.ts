import { type Kysely, sql } from 'kysely';
import type { DueDelivery, FindDueDeliveries, Schema } from '../database.js';
import { prepare } from '../prepared.js';

/** Runs a prepared query for each webhook. */
export function dueDeliveryFinder(db: Kysely<Schema>): FindDueDeliveries {
  const dueOf = prepare(
    db
      .selectFrom('deliveries')
      .innerJoin('webhooks', 'webhooks.id', 'deliveries.webhook_id')
      .innerJoin('events', 'events.id', 'deliveries.event_id')
      .select(['deliveries.id', 'webhook_id as webhookId', 'deliveries.attempts'])
      .select(['is_charged as isCharged', 'events.organization_id as organizationId'])
      .select(['events.type as eventType', 'events.body'])
      .where('webhook_id', '=', '')
      .where('webhooks.is_active', '=', sql.lit(1))
      .where('webhooks.deleted_at', 'is', null)
      .where('due_at', 'is not', null)
      .where('due_at', '<=', 0)
      .orderBy('due_at')
      .limit(1),
  );

  return async (transaction, claims, now) => {
    const due: DueDelivery[] = [];
    for (const { webhookId, count } of claims) {
      const { rows } = await transaction.executeQuery(dueOf(webhookId, now, count));
      for (const row of rows) due.push(row);
    }
    return due;
  };
}
