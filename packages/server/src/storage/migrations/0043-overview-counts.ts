import { type Kysely, sql } from 'kysely';
import type { Engine, Schema } from '../database.js';
import { dialects } from './dialects.js';

/** Adds the counts that overviews continue after a start, and an index that finds large organizations. */
export async function overviewCounts(db: Kysely<Schema>, engine: Engine): Promise<void> {
  const { text, bytes } = dialects[engine].types;
  const statements = [
    `create table overview_counts (
      organization_id ${text} not null,
      counts_key ${text} not null,
      generation bigint not null,
      part integer not null,
      first_at bigint not null,
      content ${bytes} not null,
      constraint overview_counts_primary
        primary key (organization_id, counts_key, generation, part)
    )`,
    // One of 256 chunks: none of most organizations.
    `create index organization_chunks_sample on organization_chunks (last_at, organization_id)
      where number % 256 = 255`,
  ];
  for (const statement of statements) await sql.raw(statement).execute(db);
}
