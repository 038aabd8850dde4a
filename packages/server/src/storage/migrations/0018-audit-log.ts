import { type Kysely, sql } from 'kysely';
import type { Engine, Schema } from '../database.js';
import { dialects } from './dialects.js';

/** Adds the audit log. Both its orders are those of time, so that an insert touches few pages. */
export async function auditLog(db: Kysely<Schema>, engine: Engine): Promise<void> {
  const { types, clustered } = dialects[engine];
  const statements = [
    `create table audit_log (
      created_at bigint not null,
      id ${types.text} not null,
      organization_id ${types.text},
      actor_type ${types.text} not null,
      actor_id ${types.text},
      address ${types.text},
      operation ${types.text} not null,
      resource_type ${types.text} not null,
      resource_id ${types.text},
      item_count integer not null,
      fields ${types.text},
      constraint audit_log_primary primary key (created_at, id)
    ) ${clustered}`,
    'create index audit_log_by_organization on audit_log (organization_id, created_at, id)',
  ];
  for (const statement of statements) await sql.raw(statement).execute(db);
}
