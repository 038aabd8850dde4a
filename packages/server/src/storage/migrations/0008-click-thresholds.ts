import { type Kysely, sql } from 'kysely';
import type { Schema } from '../database.js';

/** Stores the click thresholds of links that have their own. */
export async function clickThresholds(db: Kysely<Schema>): Promise<void> {
  await sql`alter table urls add column click_thresholds text`.execute(db);
  // An expression, because SQLite prefers the primary key to a partial index on the same column.
  await sql`create index urls_with_thresholds on urls ((id + 0))
    where click_thresholds is not null`.execute(db);
}
