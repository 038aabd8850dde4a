import { type Kysely, sql } from 'kysely';
import type { Engine, Schema } from '../database.js';
import { createSearchIndex } from '../sqlite/search-index.js';

/** Lets the reads of one organization skip deleted domains and the links of other organizations. */
export async function tenantIndexes(db: Kysely<Schema>, engine: Engine): Promise<void> {
  await sql`create index domains_live on domains (organization_id, created_at, id)
    where deleted_at is null`.execute(db);
  if (engine === 'sqlite') await createSearchIndex(db);
}
