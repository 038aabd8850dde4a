import { type Kysely, sql } from 'kysely';
import type { Schema } from '../../storage/schema.js';
import type { Window } from './report-window.js';

// With usual chunks, a query returns 4 MB.
const chunksPerQuery = 32;
const rowsPerQuery = 4_096;

/** A chunk of an organization without its visits. A chunk that is written again has another count. */
export type OrganizationChunk = Pick<
  Schema['organization_chunks'],
  'number' | 'visit_count' | 'first_at' | 'last_at'
>;

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

/** Lists the chunks of an organization that may have visits in a window, in ascending order. */
export async function listOrganizationChunks(
  db: Kysely<Schema>,
  organizationId: string,
  { since, until }: Window,
): Promise<readonly OrganizationChunk[]> {
  const found: OrganizationChunk[] = [];
  for (let last = -1; ; ) {
    const { rows } = await sql<OrganizationChunk>`
      select number, visit_count, first_at, last_at from organization_chunks
      where organization_id = ${organizationId} and number > ${last}
        and last_at >= ${since} and first_at < ${until}
      order by number limit ${rowsPerQuery}`.execute(db);
    for (const row of rows) found.push(row);
    if (rows.length < rowsPerQuery) return found;
    last = (rows.at(-1) as OrganizationChunk).number;
  }
}

/** Reads the visits of chunks of an organization. */
export async function* readOrganizationChunks(
  db: Kysely<Schema>,
  organizationId: string,
  chunks: readonly OrganizationChunk[],
): AsyncGenerator<{ readonly visits: Uint8Array }> {
  for (let start = 0; start < chunks.length; start += chunksPerQuery) {
    // Always the same number of values, so that each engine prepares one statement.
    const numbers = Array.from({ length: chunksPerQuery }, (_, at) => {
      const chunk = chunks[Math.min(start + at, chunks.length - 1)] as OrganizationChunk;
      return sql`${chunk.number}`;
    });
    const { rows } = await sql<{ readonly visits: Uint8Array }>`
      select visits from organization_chunks
      where organization_id = ${organizationId} and number in (${sql.join(numbers)})`.execute(db);
    yield* rows;
  }
}
