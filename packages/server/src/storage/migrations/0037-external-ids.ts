import { type Kysely, sql } from 'kysely';
import type { Engine, Schema } from '../database.js';

/** Stores ids that other systems give links, and finds links by their targets. */
export async function externalIds(db: Kysely<Schema>, engine: Engine): Promise<void> {
  await sql`alter table urls add column external_id text`.execute(db);
  await sql`create unique index urls_by_external_id on urls (organization_id, external_id)
    where external_id is not null`.execute(db);
  // A B-tree of PostgreSQL refuses targets of more than 2,704 bytes; its hash index stores 4 bytes of each.
  const method = sql.raw(engine === 'postgres' ? 'using hash' : '');
  await sql`create index urls_by_target on urls ${method}
    ((organization_id || ' ' || target_url))`.execute(db);
}
