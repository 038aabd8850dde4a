import type { Kysely } from 'kysely';
import type { Schema } from '../storage/database.js';

/** Returns the webhooks of an organization, with the deleted ones whose deliveries are still stored. */
export async function findWebhookIds(
  db: Kysely<Schema>,
  organizationId: string,
): Promise<string[]> {
  const own = db.selectFrom('webhooks').select('id').where('organization_id', '=', organizationId);
  // Each has an index of its own.
  const rows = await own
    .where('deleted_at', 'is', null)
    .unionAll(own.where('deleted_at', 'is not', null))
    .execute();
  return rows.map(({ id }) => id);
}
