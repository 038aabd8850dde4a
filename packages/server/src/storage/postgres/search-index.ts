import { type Kysely, sql } from 'kysely';
import type { Schema } from '../database.js';

/**
 * Creates the trigram index of `urls.search_text` if pg_trgm exists or this user may create it.
 * Without the index, a search reads every link of its organization.
 */
export async function createSearchIndex(db: Kysely<Schema>): Promise<void> {
  // The block catches an error without rolling back the transaction.
  await sql`do $$ begin
    create extension if not exists pg_trgm;
  exception when others then
    raise notice 'pg_trgm: %', sqlerrm;
  end $$`.execute(db);
  const schema = await findTrigramSchema(db);
  if (schema === undefined) return;
  await sql`create index if not exists urls_by_search_text on urls
    using gin (search_text ${sql.id(schema, 'gin_trgm_ops')})`.execute(db);
}

export async function hasSearchIndex(db: Kysely<Schema>): Promise<boolean> {
  const { rows } = await sql`select 1 where to_regclass('urls_by_search_text') is not null`.execute(
    db,
  );
  return rows.length > 0;
}

/** Finds the schema of pg_trgm, which may not be on the search path. */
async function findTrigramSchema(db: Kysely<Schema>): Promise<string | undefined> {
  const { rows } = await sql<{ schema: string }>`
    select nspname as schema from pg_opclass join pg_namespace on pg_namespace.oid = opcnamespace
    where opcname = 'gin_trgm_ops'`.execute(db);
  return rows[0]?.schema;
}
