import { CompiledQuery } from 'kysely';
import type { DueDelivery, FindDueDeliveries } from '../database.js';

/** Runs one query for all webhooks, which saves round trips. Skips rows that another dispatcher is claiming. */
export const findDueDeliveries: FindDueDeliveries = async (transaction, claims, now) => {
  const { rows } = await transaction.executeQuery<DueDelivery>(
    CompiledQuery.raw(
      `select due.*, events.organization_id, events.type, events.body
        from unnest($1::text[], $2::bigint[]) as claim(webhook_id, count)
        join webhooks on webhooks.id = claim.webhook_id and is_active = 1 and deleted_at is null
        cross join lateral (
          select id, webhook_id, event_id, attempts, is_charged from deliveries
          where deliveries.webhook_id = claim.webhook_id and due_at is not null and due_at <= $3
          order by due_at limit claim.count for update skip locked
        ) as due
        join events on events.id = due.event_id`,
      [claims.map(({ webhookId }) => webhookId), claims.map(({ count }) => count), now],
    ),
  );
  return rows;
};
