import type { WriteTransaction } from '../storage/database.js';

/** Returns the hostnames of active domains of an organization, by id. */
export async function findActiveDomains(
  transaction: WriteTransaction,
  organizationId: string,
  ids: readonly (string | null)[],
): Promise<ReadonlyMap<string, string>> {
  const wanted = [...new Set(ids)].filter((id) => id !== null);
  if (wanted.length === 0) return new Map();
  const rows = await transaction
    .selectFrom('domains')
    .select(['id', 'hostname'])
    .where('organization_id', '=', organizationId)
    .where('is_active', '=', 1)
    .where('id', 'in', wanted)
    .execute();
  return new Map(rows.map((row) => [row.id, row.hostname]));
}
