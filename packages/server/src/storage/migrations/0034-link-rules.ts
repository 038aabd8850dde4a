import { type Kysely, sql } from 'kysely';
import type { Schema } from '../database.js';

/** Stores the rules that choose other targets for some visits of a link. */
export async function linkRules(db: Kysely<Schema>): Promise<void> {
  await sql`alter table urls add column rules text`.execute(db);
}
