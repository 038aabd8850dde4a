import { type Kysely, sql } from 'kysely';
import type { Engine, Schema } from '../database.js';
import { dialects } from './dialects.js';

/** Adds the periods of the visitor keys. */
export async function visitorKeys(db: Kysely<Schema>, engine: Engine): Promise<void> {
  const { text } = dialects[engine].types;
  const statement = `create table visitor_keys (starts_at bigint primary key, value ${text})`;
  await sql.raw(statement).execute(db);
}
