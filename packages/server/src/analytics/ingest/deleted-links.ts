import { type Kysely, sql } from 'kysely';
import type { Schema } from '../../storage/database.js';
import { isAmong } from '../../storage/is-among.js';

/** Ids that no link has, and the organizations of the others. */
export interface MissingLinks {
  /** Erased links, and those of organizations that are deleted or being deleted. Their visits are dropped. */
  readonly deleted: ReadonlySet<number>;
  /** Ids that no link ever had. */
  readonly unknown: ReadonlySet<number>;
  readonly organizationOf: ReadonlyMap<number, string>;
}

/**
 * Finds ids that no link has. The ids of deleted links are never used again, so an id up to the counter is
 * that of a deleted link.
 */
export async function findMissingLinks(
  db: Kysely<Schema>,
  ids: ReadonlySet<number>,
): Promise<MissingLinks> {
  const deleted = new Set<number>();
  const unknown = new Set(ids);
  if (ids.size === 0) return { deleted, unknown, organizationOf: new Map() };
  const { rows } = await sql<{ id: number; organizationId: string }>`
    select urls.id, urls.organization_id as "organizationId" from urls
    where ${isAmong(db, sql.ref('urls.id'), ids)}
      and not exists (select 1 from organizations
        where organizations.id = urls.organization_id and deletion_started_at is not null)`.execute(
    db,
  );
  const organizationOf = new Map(rows.map(({ id, organizationId }) => [id, organizationId]));
  for (const id of organizationOf.keys()) unknown.delete(id);
  if (unknown.size === 0) return { deleted, unknown, organizationOf };
  const { last_id } = await db
    .selectFrom('url_id_counter')
    .select('last_id')
    .executeTakeFirstOrThrow();
  for (const id of unknown) {
    if (id > last_id) continue;
    deleted.add(id);
    unknown.delete(id);
  }
  return { deleted, unknown, organizationOf };
}
