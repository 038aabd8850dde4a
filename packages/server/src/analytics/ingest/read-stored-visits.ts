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

/** Visits, and the indexes of those that count. */
export interface StoredVisits {
  readonly columns: VisitColumns;
  readonly indexes: Uint32Array;
}

/** Visits of many URLs that were stored together. */
export interface Batch {
  readonly id: number;
  readonly columns: VisitColumns;
  /** The size in storage. */
  readonly bytes: number;
}

export function findCompaction(db: Kysely<Schema>): Promise<Compaction | undefined> {
  return db
    .selectFrom('visit_compactions')
    .select(['up_to_batch as upToBatch', 'next_url as nextUrl'])
    .executeTakeFirst();
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
