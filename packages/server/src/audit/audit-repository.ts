import { sql } from 'kysely';
import type { z } from 'zod';
import type { Page } from '../contract/fields.js';
import type { AuditTarget, WriteOrigin } from '../idempotency/audit-entry.js';
import type { Database } from '../storage/database.js';
import { allOf, createdWithin, type ListQuery, readList } from '../storage/list-page.js';
import type { AuditFilter, auditEntry } from './audit-contract.js';

export type AuditEntry = z.input<typeof auditEntry>;

type AuditRow = Awaited<ReturnType<ReturnType<typeof selectEntries>['execute']>>[number];

/** Returns one page of entries about records of an organization, or of all, newest first. */
export function listAuditEntries(
  database: Database,
  organizationId: string | undefined,
  filter: AuditFilter,
): Promise<Page<AuditRow>> {
  const query = auditListQuery(organizationId, filter);
  return readList<string, AuditRow>(database, query, (ids, keys) =>
    // By the whole primary key, because `id` alone has no index.
    selectEntries(database.read)
      .where(({ and, eb, or }) =>
        or(ids.map((id, at) => and([eb('created_at', '=', Number(keys[at])), eb('id', '=', id)]))),
      )
      .execute(),
  );
}

export function auditListQuery(
  organizationId: string | undefined,
  { since, until, actor, operation, resource, ...range }: AuditFilter,
): ListQuery {
  return {
    table: 'audit_log',
    ...(organizationId !== undefined && {
      owner: { column: 'organization_id', value: organizationId },
    }),
    indexed: createdWithin(since, until),
    condition: allOf(
      actor !== undefined && sql`coalesce(actor_id, actor_type) = ${actor}`,
      operation !== undefined && sql`operation = ${operation}`,
      resource !== undefined && sql`resource_id = ${resource}`,
    ),
    ...range,
  };
}

/**
 * Returns an entry for its reader. An organization does not see the addresses of the operator, which
 * are not its own.
 */
export function toAuditEntry(row: AuditRow, reader: 'organization' | 'operator'): AuditEntry {
  const isHidden = reader === 'organization' && row.actor_type === 'operator';
  return {
    id: row.id,
    createdAt: new Date(row.created_at).toISOString(),
    organizationId: row.organization_id,
    actor: { type: row.actor_type, id: row.actor_id, name: row.actor_name },
    address: isHidden ? null : row.address,
    operation: row.operation,
    resource: { type: row.resource_type, id: row.resource_id },
    count: row.item_count,
    fields: row.fields === null ? [] : row.fields.split(','),
  };
}

function selectEntries(db: Database['read']) {
  return db
    .selectFrom('audit_log')
    .selectAll()
    .select(
      sql<string | null>`(select email from users where users.id = actor_id)`.as('actor_name'),
    )
    .$narrowType<{ actor_type: WriteOrigin['actorType']; resource_type: AuditTarget['type'] }>();
}
