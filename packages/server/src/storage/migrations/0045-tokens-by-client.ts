import { type Kysely, sql } from 'kysely';
import type { Schema } from '../schema.js';

/** Adds the index by which the tokens of a revoked client are found. Without it, all tokens were read. */
export async function tokensByClient(db: Kysely<Schema>): Promise<void> {
  await sql`create index access_tokens_by_client on access_tokens (client_id)`.execute(db);
}
