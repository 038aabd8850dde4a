import { type Kysely, sql } from 'kysely';
import type { Schema } from '../schema.js';

/**
 * Lets the erasure of a link find its events by their deliveries. Adds the index of an organization's deleted
 * webhooks, and deletes events without deliveries, which a killed process may have left.
 */
export async function eventsByDeliveries(db: Kysely<Schema>): Promise<void> {
  const statements = [
    'create index webhooks_deleted on webhooks (organization_id) where deleted_at is not null',
    `delete from events where webhook_ids is null
      and not exists (select 1 from deliveries where event_id = events.id)`,
  ];
  for (const statement of statements) await sql.raw(statement).execute(db);
}
