import { type Kysely, sql } from 'kysely';
import type { Engine, Schema } from '../database.js';
import { dialects } from './dialects.js';

/** Adds the deletion of organizations, and the keys of their links, which no other link may get. */
export async function organizationDeletions(db: Kysely<Schema>, engine: Engine): Promise<void> {
  const { text, rowId } = dialects[engine].types;
  const statements = [
    'alter table organizations add column deletion_started_at bigint',
    `create index organizations_to_delete on organizations (deletion_started_at)
      where deletion_started_at is not null`,
    `create table retired_keys (
      key_hash ${rowId} primary key,
      organization_id ${text} not null
    )`,
  ];
  for (const statement of statements) await sql.raw(statement).execute(db);
}
