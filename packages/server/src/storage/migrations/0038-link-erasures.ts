import { type Kysely, sql } from 'kysely';
import type { Schema } from '../database.js';

/** Adds the erasure of links. */
export async function linkErasures(db: Kysely<Schema>): Promise<void> {
  const statements = [
    'alter table retired_keys add column url_id bigint',
    'create index retired_keys_to_erase on retired_keys (url_id) where url_id is not null',
    'alter table link_policy add column erasures bigint not null default 0',
    // The foreign key of each deleted link is checked.
    'create index url_keys_by_url on url_keys (url_id)',
  ];
  for (const statement of statements) await sql.raw(statement).execute(db);
}
