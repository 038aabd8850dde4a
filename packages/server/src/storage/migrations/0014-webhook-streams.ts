import { type Kysely, sql } from 'kysely';
import type { Engine, Schema } from '../database.js';
import { dialects } from './dialects.js';

/** Adds temporary webhooks whose deliveries clients read from a stream. */
export async function webhookStreams(db: Kysely<Schema>, engine: Engine): Promise<void> {
  const statements = [
    'alter table webhooks add column expires_at bigint',
    `alter table webhooks add column connection_id ${dialects[engine].types.text}`,
    'create index webhooks_expiring on webhooks (expires_at) where expires_at is not null',
  ];
  for (const statement of statements) await sql.raw(statement).execute(db);
}
