import type { Kysely } from 'kysely';
import type { Schema } from '../storage/database.js';

/** Returns the webhooks of an organization, with the deleted ones whose deliveries are still stored. */
export async function findWebhookIds(
  db: Kysely<Schema>,
  organizationId: string,
): Promise<string[]> {
  const rows = await db
    .selectFrom('webhooks')
    .select('id')
    .where('organization_id', '=', organizationId)
    .execute();
  return rows.map(({ id }) => id);
}
