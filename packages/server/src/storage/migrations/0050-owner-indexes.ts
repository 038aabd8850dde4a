import { type Kysely, sql } from 'kysely';
import type { Schema } from '../schema.js';

/**
 * Adds the missing indexes of tables by their owner, by which the deletion of an organization finds its rows
 * and checks foreign keys. That of webhooks replaces the index of deleted ones.
 */
export async function ownerIndexes(db: Kysely<Schema>): Promise<void> {
  for (const statement of [
    'drop index webhooks_deleted',
    'create index webhooks_by_owner on webhooks (organization_id, deleted_at)',
    'create index qr_codes_by_owner on qr_codes (organization_id, deleted_at)',
    'create index events_by_owner on events (organization_id)',
    'create index webhook_replays_by_owner on webhook_replays (organization_id)',
    'create index deferred_visits_by_owner on deferred_visits (organization_id)',
    `create index organizations_deleted on organizations (deletion_started_at)
      where deletion_started_at is not null`,
  ]) {
    await sql.raw(statement).execute(db);
  }
}
