import { type Kysely, sql } from 'kysely';
import type { Engine, Schema } from '../database.js';
import { dialects } from './dialects.js';

/** Adds the counts that overviews continue after a start. */
export async function overviewCounts(db: Kysely<Schema>, engine: Engine): Promise<void> {
  const { text, bytes } = dialects[engine].types;
  await sql
    .raw(
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
    )
    .execute(db);
}
