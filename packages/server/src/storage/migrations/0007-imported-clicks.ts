import { type Kysely, sql } from 'kysely';
import type { Schema } from '../database.js';

/** Stores the clicks of imported links that another link shortener counted. */
export async function importedClicks(db: Kysely<Schema>): Promise<void> {
  await sql`alter table urls add column imported_clicks bigint not null default 0`.execute(db);
}
