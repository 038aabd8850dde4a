import { type Kysely, sql } from 'kysely';
import type { Schema } from '../database.js';

/** Lets overviews list the chunks of an organization without reading their visits. */
export async function organizationChunkList(db: Kysely<Schema>): Promise<void> {
  await sql`create index organization_chunks_list on organization_chunks
    (organization_id, number, first_at, last_at, visit_count)`.execute(db);
}
