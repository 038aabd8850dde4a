import { sql } from 'kysely';
import type { WriteTransaction } from '../../storage/database.js';
import { isAmong } from '../../storage/statements.js';

/**
 * Finds the links of visits. Visits of erased links, and of organizations that are deleted, are neither
 * existing nor unknown. A link exists before its first visit.
 */
export async function findVisitedLinks<Visit extends { readonly urlId: number }>(
  transaction: WriteTransaction,
  visits: readonly Visit[],
) {
  const ids = new Set(visits.map(({ urlId }) => urlId));
  const { rows } = await sql<{ id: number; organizationId: string }>`
    select urls.id, urls.organization_id as "organizationId" from urls
    where ${isAmong(transaction, sql.ref('urls.id'), ids)}
      and not exists (select 1 from organizations
        where organizations.id = urls.organization_id and deletion_started_at is not null)`.execute(
    transaction,
  );
  const organizationOf = new Map(rows.map(({ id, organizationId }) => [id, organizationId]));
  if (organizationOf.size === ids.size) return { existing: visits, unknown: [], organizationOf };
  const { last_id: lastId } = await transaction
    .selectFrom('url_id_counter')
    .select('last_id')
    .executeTakeFirstOrThrow();
  return {
    existing: visits.filter(({ urlId }) => organizationOf.has(urlId)),
    // The ids of deleted links are never used again.
    unknown: visits.filter(({ urlId }) => !organizationOf.has(urlId) && urlId > lastId),
    organizationOf,
  };
}
