import { type Kysely, sql } from 'kysely';
import type { Schema } from '../database.js';

/** The changes that nodes must learn of: their kind, the statements, and the column of their key. */
const noted = [
  ['urls', 'update on urls', 'id'],
  ['pictures', 'update on qr_codes', 'id'],
  ['hosts', 'insert or update on domains', 'hostname'],
  ['policy', 'update on link_policy', 'version'],
  // Cached links contain these settings of their domain and organization.
  [
    'organizations',
    'update of forward_query, forward_path, ignore_case on domains',
    'organization_id',
  ],
  ['organizations', 'update of exclude_addresses on organizations', 'id'],
] as const;

/** Creates the tables that several nodes on one PostgreSQL share. */
export async function createNodeTables(db: Kysely<Schema>): Promise<void> {
  const statements = [
    'create table installation_keys (name text primary key, value text not null)',
    `create table cache_changes (
      kind text not null,
      key text not null,
      changed_at timestamptz not null default now(),
      transaction_id xid8 not null default pg_current_xact_id()
    )`,
    'create index cache_changes_by_transaction on cache_changes (transaction_id)',
    // In the transaction that makes the change, whichever program does.
    `create function note_change() returns trigger language plpgsql as $$ begin
      insert into cache_changes (kind, key) values (tg_argv[0], to_jsonb(new) ->> tg_argv[1]);
      return null;
    end $$`,
    ...noted.map(
      ([kind, changes, key]) => `create trigger note_${kind} after ${changes} for each row
        execute function note_change('${kind}', '${key}')`,
    ),
  ];
  for (const statement of statements) await sql.raw(statement).execute(db);
}

/**
 * Creates the trigram index of `urls.search_text`, also when pg_trgm is newer than the database, if it exists
 * or this user may create it. Without the index, a search reads every link of its organization.
 */
export async function createSearchIndex(db: Kysely<Schema>): Promise<void> {
  const index = await sql`select 1 where to_regclass('urls_by_search_text') is not null`.execute(
    db,
  );
  // `if not exists` would wait for the writes of other nodes.
  if (index.rows.length > 0) return;
  // The block catches an error without rolling back the transaction.
  await sql`do $$ begin
    create extension if not exists pg_trgm;
  exception when others then
    raise notice 'pg_trgm: %', sqlerrm;
  end $$`.execute(db);
  // Its schema may not be on the search path.
  const { rows } = await sql<{ schema: string }>`
    select nspname as schema from pg_opclass join pg_namespace on pg_namespace.oid = opcnamespace
    where opcname = 'gin_trgm_ops'`.execute(db);
  for (const { schema } of rows.slice(0, 1)) {
    await sql`create index if not exists urls_by_search_text on urls
      using gin (search_text ${sql.id(schema, 'gin_trgm_ops')})`.execute(db);
  }
}
