import { type Kysely, sql } from 'kysely';

/**
 * Creates the trigram index of `urls.search_text` where the server has pg_trgm or lets this user
 * create it; whether the index is there now. Without it a search reads every link of its organization.
 */
export async function createSearchIndex(db: Kysely<unknown>): Promise<boolean> {
  // A refusal ends the block and not the transaction around it.
  await sql`do $$ begin
    create extension if not exists pg_trgm;
  exception when others then
    raise notice 'pg_trgm: %', sqlerrm;
  end $$`.execute(db);
  // It may be in a schema that is not on the search path.
  const { rows } = await sql<{ schema: string }>`
    select nspname as schema from pg_opclass join pg_namespace on pg_namespace.oid = opcnamespace
    where opcname = 'gin_trgm_ops'`.execute(db);
  const [found] = rows;
  if (!found) return false;
  await sql`create index if not exists urls_by_search_text on urls
    using gin (search_text ${sql.id(found.schema, 'gin_trgm_ops')})`.execute(db);
  return true;
}
