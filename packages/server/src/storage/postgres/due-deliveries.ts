import { sql } from 'kysely';
import type { DueDelivery, FindDueDeliveries } from '../database.js';

/** Runs one query for all webhooks, which saves round trips. Skips rows that another dispatcher is claiming. */
export const findDueDeliveries: FindDueDeliveries = async (transaction, claims, now) => {
  const webhookIds = claims.map(({ webhookId }) => webhookId);
  const counts = claims.map(({ count }) => count);
  const { rows } = await sql<DueDelivery>`
    select due.id, due.webhook_id as "webhookId", due.attempts, due.is_charged as "isCharged",
      events.organization_id as "organizationId", events.type as "eventType", events.body
    from unnest(${webhookIds}::text[], ${counts}::bigint[]) as claim(webhook_id, count)
    join webhooks on webhooks.id = claim.webhook_id and is_active = 1 and deleted_at is null
    cross join lateral (
      select id, webhook_id, event_id, attempts, is_charged from deliveries
      where deliveries.webhook_id = claim.webhook_id and due_at is not null and due_at <= ${now}
      order by due_at limit claim.count for update skip locked
    ) as due
    join events on events.id = due.event_id`.execute(transaction);
  return rows;
};
