import { type Kysely, sql } from 'kysely';
import type { Schema } from '../database.js';

/** Stores when the last click of each link was. */
export async function lastClicks(db: Kysely<Schema>): Promise<void> {
  await sql`alter table url_clicks add column last_clicked_at bigint`.execute(db);
}
