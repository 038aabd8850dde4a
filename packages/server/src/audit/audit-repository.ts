import { sql } from 'kysely';
import type { z } from 'zod';
import type { Page } from '../contract/fields.js';
import type { AuditTarget, WriteOrigin } from '../idempotency/audit-entry.js';
import type { Database } from '../storage/database.js';
import { allOf, readListPage } from '../storage/list-page.js';
import type { ListQuery } from '../storage/list-query.js';
import type { AuditFilter, auditEntry } from './audit-contract.js';

export type AuditEntry = z.input<typeof auditEntry>;

type AuditRow = Awaited<ReturnType<ReturnType<typeof selectEntries>['execute']>>[number];

/** Returns one page of entries about records of an organization, or of all, newest first. */
export async function listAuditEntries(
  database: Database,
  organizationId: string | undefined,
  filter: AuditFilter,
): Promise<Page<AuditRow>> {
  const { read } = database;
  const query = auditListQuery(organizationId, filter);
  const { ids, keys, total, next } = await readListPage<string>(database, query);
  if (ids.length === 0) return { total, next, items: [] };
  // By the whole primary key, because `id` alone has no index.
  const rows = await selectEntries(read)
    .where(({ and, eb, or }) =>
      or(ids.map((id, at) => and([eb('created_at', '=', Number(keys[at])), eb('id', '=', id)]))),
    )
    .execute();
  const byId = new Map(rows.map((row) => [row.id, row]));
  return { total, next, items: ids.flatMap((id) => byId.get(id) ?? []) };
}

export function auditListQuery(
  organizationId: string | undefined,
  { since, until, actor, operation, resource, limit, offset, after }: AuditFilter,
): ListQuery {
  const indexed = [
    ...(since === undefined ? [] : [sql`created_at >= ${Date.parse(since)}`]),
    ...(until === undefined ? [] : [sql`created_at < ${Date.parse(until)}`]),
  ];
  const conditions = [
    ...(actor === undefined ? [] : [sql`coalesce(actor_id, actor_type) = ${actor}`]),
    ...(operation === undefined ? [] : [sql`operation = ${operation}`]),
    ...(resource === undefined ? [] : [sql`resource_id = ${resource}`]),
  ];
  return {
    table: 'audit_log',
    ...(organizationId !== undefined && {
      owner: { column: 'organization_id', value: organizationId },
    }),
    indexed: indexed.length > 0 ? allOf(...indexed) : undefined,
    condition: conditions.length > 0 ? allOf(...conditions) : undefined,
    limit,
    offset,
    after,
  };
}

/**
 * Returns an entry for its reader. An organization does not see the addresses of the operator, which
 * are not its own.
 */
export function toAuditEntry(row: AuditRow, reader: 'organization' | 'operator'): AuditEntry {
  const { id, createdAt, organizationId, actorType, actorId, operation, fields } = row;
  const isHidden = reader === 'organization' && actorType === 'operator';
  return {
    id,
    createdAt: new Date(createdAt).toISOString(),
    organizationId,
    actor: { type: actorType, id: actorId, name: row.actorName },
    address: isHidden ? null : row.address,
    operation,
    resource: { type: row.resourceType, id: row.resourceId },
    count: row.count,
    fields: fields === null ? [] : fields.split(','),
  };
}

function selectEntries(db: Database['read']) {
  return db
    .selectFrom('audit_log')
    .select(['id', 'created_at as createdAt', 'organization_id as organizationId', 'address'])
    .select(['actor_type as actorType', 'actor_id as actorId', 'operation', 'fields'])
    .select(['resource_type as resourceType', 'resource_id as resourceId'])
    .select('item_count as count')
    .select((entry) =>
      entry
        .selectFrom('users')
        .select('email')
        .whereRef('users.id', '=', 'audit_log.actor_id')
        .as('actorName'),
    )
    .$narrowType<{ actorType: WriteOrigin['actorType']; resourceType: AuditTarget['type'] }>();
}
