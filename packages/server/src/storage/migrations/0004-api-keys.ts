import { type Kysely, sql } from 'kysely';
import type { Engine, Schema } from '../database.js';
import { dialects } from './dialects.js';

/** Adds API keys. */
export async function apiKeys(db: Kysely<Schema>, engine: Engine): Promise<void> {
  const { text } = dialects[engine].types;
  const statements = [
    `create table api_keys (
      id ${text} primary key,
      organization_id ${text} not null references organizations (id),
      name ${text} not null,
      key_hash ${text} not null,
      key_start ${text} not null,
      scopes ${text} not null,
      created_by ${text} not null,
      created_at bigint not null,
      expires_at bigint,
      last_used_at bigint
    )`,
    'create unique index api_keys_by_hash on api_keys (key_hash)',
    'create index api_keys_by_organization on api_keys (organization_id, created_at, id)',
  ];
  for (const statement of statements) await sql.raw(statement).execute(db);
}
