import { type Kysely, sql } from 'kysely';
import { packChunk, type VisitRef } from '../../analytics/ingest/columns-codec.js';
import {
  findCompactionOfBatch,
  firstPendingUrl,
  readBatches,
} from '../../analytics/ingest/read-stored-visits.js';
import { type Row, readInBatches } from '../../storage/read-in-batches.js';
import type { Schema } from '../../storage/schema.js';
import { batchesOf } from './transfer-tables.js';

/**
 * Yields the rows of `visit_chunks` for the links of an organization: the stored chunks of each link,
 * then chunks of its visits that are not compacted yet.
 */
export async function* visitChunksOf(
  db: Kysely<Schema>,
  organizationId: string,
): AsyncGenerator<readonly Row[]> {
  const uncompacted = await readUncompactedVisits(db);
  for await (const urls of batchesOf(db, 'urls', organizationId)) {
    for (const { id } of urls) {
      const urlId = Number(id);
      const stored = sql`from visit_chunks as own where own.url_id = ${urlId}`;
      let number = 0;
      for await (const chunks of readInBatches(db, stored, ['number'])) {
        yield chunks;
        number = Number(chunks.at(-1)?.number) + 1;
      }
      const visits = uncompacted.get(urlId) ?? [];
      for (let start = 0; start < visits.length; number += 1) {
        const { chunk, added } = packChunk(undefined, visits, start);
        yield [{ url_id: urlId, number, ...chunk }];
        start += added;
      }
    }
  }
}

/** Loads the uncompacted visits of each link into memory, usually those of one minute. */
async function readUncompactedVisits(db: Kysely<Schema>) {
  const uncompacted = new Map<number, VisitRef[]>();
  const compactionOf = await findCompactionOfBatch(db);
  for (const { id, columns } of await readBatches(db)) {
    const firstPending = firstPendingUrl(compactionOf, id);
    for (const [index, urlId] of columns.urlIds.entries()) {
      if (urlId < firstPending) continue;
      const positions = uncompacted.get(urlId) ?? [];
      positions.push({ columns, index });
      uncompacted.set(urlId, positions);
    }
  }
  return uncompacted;
}
