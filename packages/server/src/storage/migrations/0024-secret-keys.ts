import { type Kysely, sql } from 'kysely';
import type { Engine, Schema } from '../database.js';
import { dialects } from './dialects.js';

/** Adds the list of the keys that encrypt stored secrets. The server encrypts them when it starts. */
export async function secretKeys(db: Kysely<Schema>, engine: Engine): Promise<void> {
  const { text } = dialects[engine].types;
  const statement = `create table secret_keys (
    id ${text} primary key, check_value ${text} not null, created_at bigint not null)`;
  await sql.raw(statement).execute(db);
}
