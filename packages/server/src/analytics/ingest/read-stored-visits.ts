import { type Kysely, sql } from 'kysely';
import type { Schema } from '../../storage/database.js';
import { decodeColumns } from './columns-codec.js';
import { slicesOf } from './slices-of.js';
import type { VisitColumns } from './visit-columns.js';

/**
 * A running compaction. It copies visits into the chunks of URLs, and then into those of organizations,
 * both in ascending order.
 */
export interface Compaction {
  /** The id of the last batch that it moves. */
  readonly upToBatch: number;
  /** The visits of all URLs below this one are in `visit_chunks`. */
  readonly nextUrl: number;
  /** The visits of all organizations before this one are in `organization_chunks`. */
  readonly nextOrganization: string;
  /** The number of visits of that organization which are in `organization_chunks`. */
  readonly nextVisit: number;
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
    .select([
      'up_to_batch as upToBatch',
      'next_url as nextUrl',
      'next_organization as nextOrganization',
      'next_visit as nextVisit',
    ])
    .executeTakeFirst();
}

/** Returns the first URL whose visits in a batch are not in chunks yet. */
export function firstPendingUrl(compaction: Compaction | undefined, batchId: number): number {
  return compaction && batchId <= compaction.upToBatch ? compaction.nextUrl : 0;
}

/**
 * Returns the visits of an organization in batches that are not in its chunks yet. `batches` are all
 * stored batches in ascending order, with the indexes of the organization's visits.
 */
export function pendingOfOrganization(
  compaction: Compaction | undefined,
  organizationId: string,
  batches: readonly (StoredVisits & { readonly id: number })[],
): StoredVisits[] {
  const { upToBatch, nextOrganization, nextVisit } = compaction ?? notStarted;
  let stored = 0;
  if (organizationId < nextOrganization) stored = Number.POSITIVE_INFINITY;
  else if (organizationId === nextOrganization) stored = nextVisit;
  return batches.map(({ id, columns, indexes }) => {
    if (id > upToBatch) return { columns, indexes };
    const skipped = Math.min(stored, indexes.length);
    stored -= skipped;
    return { columns, indexes: indexes.subarray(skipped) };
  });
}

const notStarted: Compaction = { upToBatch: 0, nextUrl: 0, nextOrganization: '', nextVisit: 0 };

/** Returns the organizations of URLs that exist, by the ids of the URLs. */
export async function findOrganizations(
  db: Kysely<Schema>,
  urlIds: Iterable<number>,
): Promise<ReadonlyMap<number, string>> {
  const found = new Map<number, string>();
  for (const part of slicesOf([...new Set(urlIds)], urlsPerQuery)) {
    const members = part.map((id) => `"${id}":0`);
    const { rows } = await sql<{ id: number; organizationId: string }>`
      select id, organization_id as "organizationId" from urls
      where id in (select cast(key as bigint) from json_each(${`{${members.join()}}`}))`.execute(
      db,
    );
    for (const { id, organizationId } of rows) found.set(id, organizationId);
  }
  return found;
}

const urlsPerQuery = 10_000;

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
