import { type Kysely, sql } from 'kysely';
import type { Engine, Schema } from '../database.js';
import { dialects } from './dialects.js';

/** Lets the dispatcher write the deliveries of events. Adds its indexes and those of the pruner. */
export async function webhookFanOut(db: Kysely<Schema>, engine: Engine): Promise<void> {
  const statements = [
    // The webhooks whose deliveries are still to be written, as JSON.
    `alter table events add column webhook_ids ${dialects[engine].types.text}`,
    `create index events_to_fan_out on events (organization_id, id)
      where webhook_ids is not null`,
    'drop index deliveries_failed',
    `create index deliveries_finished on deliveries (webhook_id, status, created_at, id)
      where status <> 'pending'`,
    'drop index webhooks_by_organization',
    `create index webhooks_by_organization on webhooks (organization_id, created_at, id)
      where deleted_at is null`,
  ];
  for (const statement of statements) await sql.raw(statement).execute(db);
}
