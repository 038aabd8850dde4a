import { type Kysely, sql } from 'kysely';
import type { Engine, Schema } from '../database.js';
import { dialects } from './dialects.js';

/** Lets a webhook have three live secrets. */
export async function oldestSecrets(db: Kysely<Schema>, engine: Engine): Promise<void> {
  const definitions = [
    `oldest_secret ${dialects[engine].types.text}`,
    'oldest_secret_expires_at bigint',
  ];
  for (const definition of definitions) {
    await sql.raw(`alter table webhooks add column ${definition}`).execute(db);
  }
}
