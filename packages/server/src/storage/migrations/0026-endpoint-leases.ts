import { type Kysely, sql } from 'kysely';
import type { Engine, Schema } from '../database.js';
import { dialects } from './dialects.js';

/** Lets a dispatcher lease all deliveries of a webhook. No index has these columns, so a lease is cheap. */
export async function endpointLeases(db: Kysely<Schema>, engine: Engine): Promise<void> {
  const statements = [
    `alter table webhooks add column leased_by ${dialects[engine].types.text}`,
    'alter table webhooks add column leased_until bigint',
  ];
  for (const statement of statements) await sql.raw(statement).execute(db);
}
