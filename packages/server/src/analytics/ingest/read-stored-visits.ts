import type { Kysely } from 'kysely';
import type { Schema } from '../../storage/database.js';
import { decodeColumns } from './columns-codec.js';
import type { VisitColumns } from './visit-columns.js';

/** A running compaction: it moves visits into chunks, in ascending order of URLs. */
export interface Compaction {
  /** The id of the last batch that it moves. */
  readonly upToBatch: number;
  /** The visits of all URLs below this one are in chunks. */
  readonly nextUrl: number;
}

/** Visits of many URLs that were stored together. */
export interface Batch {
  readonly id: number;
  readonly columns: VisitColumns;
  /** The size in storage. */
  readonly bytes: number;
}

// About 60 KB: large enough for fast reads, small enough to be rewritten whenever visits are added.
export const visitsPerChunk = 2048;
// The number of chunks in one query of `readChunks`: at most 40 MB.
const chunksPerRead = 512;

export async function findCompaction(db: Kysely<Schema>): Promise<Compaction | undefined> {
  const row = await db.selectFrom('visit_compactions').selectAll().executeTakeFirst();
  return row && { upToBatch: row.up_to_batch, nextUrl: row.next_url };
}

/** Returns the first URL whose visits in a batch are not in chunks yet. */
export function firstPendingUrl(compaction: Compaction | undefined, batchId: number): number {
  return compaction && batchId <= compaction.upToBatch ? compaction.nextUrl : 0;
}

/** Reads the batches with ids above `after`, up to `upTo`. */
export async function readBatches(
  db: Kysely<Schema>,
  after: number,
  upTo = Number.MAX_SAFE_INTEGER,
): Promise<Batch[]> {
  const rows = await db
    .selectFrom('visit_batches')
    .select(['id', 'visits'])
    .where('id', '>', after)
    .where('id', '<=', upTo)
    .orderBy('id')
    .execute();
  return rows.map(({ id, visits }) => ({
    id,
    columns: decodeColumns(visits),
    bytes: visits.length,
  }));
}

/** Reads all chunks, in ascending order of their URLs. */
export async function* readChunks(
  db: Kysely<Schema>,
): AsyncGenerator<{ url_id: number; visits: Uint8Array }> {
  let last = { url_id: 0, number: -1 };
  for (;;) {
    const rows = await db
      .selectFrom('visit_chunks')
      .select(['url_id', 'number', 'visits'])
      .where(({ eb, refTuple, tuple }) =>
        eb(refTuple('url_id', 'number'), '>', tuple(last.url_id, last.number)),
      )
      .orderBy('url_id')
      .orderBy('number')
      .limit(chunksPerRead)
      .execute();
    yield* rows;
    const end = rows.at(-1);
    if (!end || rows.length < chunksPerRead) return;
    last = end;
  }
}
