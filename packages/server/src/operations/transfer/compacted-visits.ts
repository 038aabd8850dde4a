import { type Kysely, sql } from 'kysely';
import { decodeColumns, toChunk } from '../../analytics/ingest/columns-codec.js';
import {
  findCompaction,
  firstPendingUrl,
  readBatches,
  visitsPerChunk,
} from '../../analytics/ingest/read-stored-visits.js';
import { type VisitColumns, VisitColumnsBuilder } from '../../analytics/ingest/visit-columns.js';
import { readInBatches } from '../../storage/read-in-batches.js';
import type { Schema } from '../../storage/schema.js';

interface VisitPosition {
  readonly columns: VisitColumns;
  readonly at: number;
}

/** The visits of links that are not compacted yet, in the order of arrival. */
type UncompactedVisits = ReadonlyMap<number, readonly VisitPosition[]>;

/** Loads the uncompacted visits into memory, usually those of one minute. */
export async function readUncompactedVisits(db: Kysely<Schema>): Promise<UncompactedVisits> {
  const uncompacted = new Map<number, VisitPosition[]>();
  const compaction = await findCompaction(db);
  for (const { id, columns } of await readBatches(db, 0)) {
    const firstPending = firstPendingUrl(compaction, id);
    for (const [at, urlId] of (columns.urlIds ?? []).entries()) {
      if (urlId < firstPending) continue;
      const positions = uncompacted.get(urlId);
      if (positions) positions.push({ columns, at });
      else uncompacted.set(urlId, [{ columns, at }]);
    }
  }
  return uncompacted;
}

/**
 * Yields the visits of a link as full chunks, numbered from 0, as if all of them were compacted. The
 * same visits in the same order yield the same bytes, however they are stored.
 */
export async function* compactedChunksOf(
  db: Kysely<Schema>,
  urlId: number,
  uncompacted: UncompactedVisits,
): AsyncGenerator<Schema['visit_chunks']> {
  let number = 0;
  let builder = new VisitColumnsBuilder(visitsPerChunk);
  const finish = (): Schema['visit_chunks'] => {
    const chunk = toChunk(builder.finish());
    builder = new VisitColumnsBuilder(visitsPerChunk);
    number += 1;
    return { url_id: urlId, number: number - 1, ...chunk };
  };
  for await (const positions of positionsOf(db, urlId, uncompacted)) {
    for (const { columns, at } of positions) {
      builder.addFrom(columns, at);
      if (builder.count === visitsPerChunk) yield finish();
    }
  }
  if (builder.count > 0) yield finish();
}

/** Yields the visits of a link in the order of arrival, a chunk at a time. */
async function* positionsOf(
  db: Kysely<Schema>,
  urlId: number,
  uncompacted: UncompactedVisits,
): AsyncGenerator<readonly VisitPosition[]> {
  const stored = sql`from visit_chunks as own where own.url_id = ${urlId}`;
  for await (const chunks of readInBatches(db, stored, ['number'])) {
    for (const { visits } of chunks) {
      const columns = decodeColumns(visits as Uint8Array);
      yield Array.from({ length: columns.count }, (_, at) => ({ columns, at }));
    }
  }
  yield uncompacted.get(urlId) ?? [];
}
