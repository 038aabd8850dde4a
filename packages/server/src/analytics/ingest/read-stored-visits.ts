import { type Kysely, sql } from 'kysely';
import type { Schema } from '../../storage/database.js';
import { isAmong } from '../../storage/is-among.js';
import { decodeColumns } from './columns-codec.js';
import { slicesOf } from './slices-of.js';
import type { VisitColumns } from './visit-columns.js';

/**
 * The running compaction. It copies visits into the chunks of URLs, and then into those of
 * organizations, both in ascending order.
 */
export interface Compaction {
  /** The ids of the batches that it moves, in ascending order. */
  readonly batchIds: readonly number[];
  /** The visits of all URLs below this one are in `visit_chunks`. */
  readonly nextUrl: number;
  /** The visits of all organizations before this one are in `organization_chunks`. */
  readonly nextOrganization: string;
  /** The number of visits of that organization which are in `organization_chunks`. */
  readonly nextVisit: number;
}

/** The running compaction by the ids of its batches. */
export type CompactionOfBatch = ReadonlyMap<number, Compaction>;

/** Visits, and the indexes of those that count. */
export interface StoredVisits {
  readonly columns: VisitColumns;
  readonly indexes: Uint32Array;
}

/** Returns the name of a chunk of a URL, or of a batch, by which operators delete it. */
export function nameOfRow(row: { readonly urlId?: number | undefined; readonly number: number }) {
  return row.urlId === undefined ? `batch-${row.number}` : `chunk-${row.urlId}-${row.number}`;
}

/** Visits of many URLs that were stored together. */
export interface Batch {
  readonly id: number;
  readonly columns: VisitColumns;
  /** The size in storage. */
  readonly bytes: number;
}

/** Finds the running compaction. All nodes together have at most one. */
export async function findCompaction(db: Kysely<Schema>): Promise<Compaction | undefined> {
  const row = await db.selectFrom('visit_compactions').selectAll().executeTakeFirst();
  return (
    row && {
      batchIds: JSON.parse(row.batch_ids),
      nextUrl: row.next_url,
      nextOrganization: row.next_organization,
      nextVisit: row.next_visit,
    }
  );
}

/** Finds the running compaction by the ids of its batches. */
export async function findCompactionOfBatch(db: Kysely<Schema>): Promise<CompactionOfBatch> {
  const compaction = await findCompaction(db);
  return new Map(compaction?.batchIds.map((id) => [id, compaction]));
}

/** Returns the first URL whose visits in a batch are not in chunks yet. */
export function firstPendingUrl(compactionOf: CompactionOfBatch, batchId: number): number {
  return compactionOf.get(batchId)?.nextUrl ?? 0;
}

/**
 * Returns the visits of an organization in batches that are not in its chunks yet. `batches` are all
 * stored batches in ascending order, with the indexes of the organization's visits.
 */
export function pendingOfOrganization(
  compactionOf: CompactionOfBatch,
  organizationId: string,
  batches: readonly (StoredVisits & { readonly id: number })[],
): StoredVisits[] {
  /** The stored visits that are still to be skipped, by compaction. */
  const storedBy = new Map<Compaction, number>();
  return batches.map(({ id, columns, indexes }) => {
    const compaction = compactionOf.get(id);
    if (!compaction) return { columns, indexes };
    const stored = storedBy.get(compaction) ?? storedVisits(compaction, organizationId);
    const skipped = Math.min(stored, indexes.length);
    storedBy.set(compaction, stored - skipped);
    return { columns, indexes: indexes.subarray(skipped) };
  });
}

/** Returns how many of an organization's visits are in its chunks, and still in batches. */
function storedVisits({ nextOrganization, nextVisit }: Compaction, organizationId: string): number {
  if (organizationId < nextOrganization) return Number.POSITIVE_INFINITY;
  return organizationId === nextOrganization ? nextVisit : 0;
}

/** Returns the organizations of URLs that exist, by the ids of the URLs. */
export async function findOrganizations(
  db: Kysely<Schema>,
  urlIds: Iterable<number>,
): Promise<ReadonlyMap<number, string>> {
  const found = new Map<number, string>();
  for (const part of slicesOf([...new Set(urlIds)], urlsPerQuery)) {
    const rows = await db
      .selectFrom('urls')
      .select(['id', 'organization_id as organizationId'])
      .where(isAmong(db, sql.ref('id'), part))
      .execute();
    for (const { id, organizationId } of rows) found.set(id, organizationId);
  }
  return found;
}

const urlsPerQuery = 10_000;

/** Selects the batches with these ids. */
export function areBatches(db: Kysely<Schema>, ids: readonly number[]) {
  return isAmong(db, sql.ref('id'), ids);
}

/** Reads batches in ascending order of their ids: those with these ids, or all. */
export async function readBatches(db: Kysely<Schema>, ids?: readonly number[]): Promise<Batch[]> {
  if (ids?.length === 0) return [];
  const rows = await db
    .selectFrom('visit_batches')
    .select(['id', 'visits'])
    .$if(ids !== undefined, (query) => query.where(areBatches(db, ids ?? [])))
    .orderBy('id')
    .execute();
  return rows.map(({ id, visits }) => ({
    id,
    columns: decodeColumns(visits),
    bytes: visits.length,
  }));
}
