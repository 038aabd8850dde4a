import { type Kysely, sql } from 'kysely';
import type { Schema } from '../../storage/database.js';
import type { Window } from './report-window.js';

// With usual chunks, a query returns 4 MB.
const rowsPerQuery = 32;

type ChunkRow = Pick<Schema['organization_chunks'], 'number' | 'visits'>;

/** Returns the instant from which an organization's own chunks and batches have all its visits. */
export async function findCompleteFrom(
  db: Kysely<Schema>,
  organizationId: string,
): Promise<number> {
  const row = await db
    .selectFrom('organizations')
    .select('chunks_complete_from as completeFrom')
    .where('id', '=', organizationId)
    .executeTakeFirst();
  return row?.completeFrom ?? Number.POSITIVE_INFINITY;
}

/** Reads the chunks of an organization that may have visits in a window. */
export async function* readOrganizationChunks(
  db: Kysely<Schema>,
  organizationId: string,
  { since, until }: Window,
): AsyncGenerator<ChunkRow> {
  for (let last = -1; ; ) {
    const { rows } = await sql<ChunkRow>`
      select number, visits from organization_chunks
      where organization_id = ${organizationId} and number > ${last}
        and last_at >= ${since} and first_at < ${until}
      order by number limit ${rowsPerQuery}`.execute(db);
    yield* rows;
    if (rows.length < rowsPerQuery) return;
    last = (rows.at(-1) as ChunkRow).number;
  }
}
