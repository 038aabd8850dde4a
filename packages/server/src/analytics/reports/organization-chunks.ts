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

/** Returns the time range of the visits of chunks. */
export function timeRangeOf(chunks: readonly OrganizationChunk[]): Window {
  let since = Number.POSITIVE_INFINITY;
  let until = 0;
  for (const { first_at, last_at } of chunks) {
    since = Math.min(since, first_at);
    until = Math.max(until, last_at + 1);
  }
  return { since: Math.min(since, until), until };
}

/** Returns the chunks that may have visits in some of these windows. */
export function chunksWithin(
  chunks: readonly OrganizationChunk[],
  windows: readonly Window[],
): readonly OrganizationChunk[] {
  return chunks.filter(({ first_at, last_at }) =>
    windows.some(({ since, until }) => first_at < until && last_at >= since),
  );
}

export function countVisits(chunks: readonly OrganizationChunk[]): number {
  return chunks.reduce((sum, { visit_count }) => sum + visit_count, 0);
}

/** Returns whether chunks are all stored and unchanged. Both lists are in ascending order. */
export function includesChunks(
  stored: readonly OrganizationChunk[],
  chunks: readonly OrganizationChunk[],
): boolean {
  return withoutChunks(chunks, stored).length === 0;
}

/** Returns the chunks that are not in another list, or changed. Both are in ascending order. */
export function withoutChunks(
  chunks: readonly OrganizationChunk[],
  others: readonly OrganizationChunk[],
): readonly OrganizationChunk[] {
  let at = 0;
  return chunks.filter((chunk) => {
    while (at < others.length && (others[at] as OrganizationChunk).number < chunk.number) at += 1;
    const found = others[at];
    return !(
      found?.number === chunk.number &&
      found.visit_count === chunk.visit_count &&
      found.first_at === chunk.first_at &&
      found.last_at === chunk.last_at
    );
  });
}
