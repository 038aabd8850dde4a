import { type Kysely, sql } from 'kysely';
import type { Schema, WriteTransaction } from '../../storage/database.js';
import { checkColumns, decodeColumns, toRow } from './columns-codec.js';
import { copyVisits, selectVisits, type VisitColumns } from './visit-columns.js';

/** A row of `visits` without its bytes. */
export type VisitRow = Pick<
  Schema['visits'],
  'first_at' | 'last_at' | 'first_url' | 'last_url' | 'visit_count'
> & { readonly id: number };

/** The visits of an organization that are wanted. */
export interface WantedVisits {
  readonly organizationId: string;
  readonly since: number;
  /** Exclusive. */
  readonly until: number;
  /** The ids of links in ascending order. Default: all links. */
  readonly urlIds?: Float64Array | undefined;
}

// A query returns about 1 MB: more would make the garbage collector run often.
const visitsPerQuery = 30_000;
const rowsPerQuery = 32;

export class UnreadableRowError extends Error {
  constructor(id: number, cause: unknown) {
    super(`the row ${id} of visits cannot be read: see shorty-server doctor --check`, { cause });
  }
}

type EncodedRow = Pick<Schema['visits'], 'visit_count' | 'visits'> & { readonly id: number };

/**
 * Decodes a row. Throws an UnreadableRowError that names it. With `isRewritten`, also if its checksum is
 * wrong: the caller stores the visits again, and their new row would have a valid checksum.
 */
export function decodeRow(
  { id, visit_count, visits }: EncodedRow,
  { isRewritten = false } = {},
): VisitColumns {
  try {
    if (isRewritten) checkColumns(visits);
    const columns = decodeColumns(visits);
    if (columns.count === visit_count) return columns;
    throw new RangeError(`it has ${columns.count} visits instead of ${visit_count}`);
  } catch (error) {
    throw new UnreadableRowError(id, error);
  }
}

/** Deletes the visits of a row that are not wanted. Throws an UnreadableRowError that names it. */
export async function keepVisits(
  transaction: WriteTransaction,
  row: EncodedRow,
  isWanted: (columns: VisitColumns, index: number) => boolean,
): Promise<void> {
  const columns = decodeRow(row, { isRewritten: true });
  const rest = copyVisits(columns, (index) => isWanted(columns, index));
  if (rest.count === columns.count) return;
  const { id } = row;
  if (rest.count === 0) await transaction.deleteFrom('visits').where('id', '=', id).execute();
  else await transaction.updateTable('visits').set(toRow(rest)).where('id', '=', id).execute();
}

/** Lists the rows that may have wanted visits, in the order of their first visit. */
export async function listRows(
  db: Kysely<Schema>,
  { organizationId, since, until, urlIds }: WantedVisits,
): Promise<readonly VisitRow[]> {
  if (urlIds?.length === 0) return [];
  const isInRange =
    urlIds === undefined
      ? sql`true`
      : sql`last_url >= ${urlIds[0]} and first_url <= ${urlIds.at(-1)}`;
  const { rows } = await sql<VisitRow>`
    select id, first_at, last_at, first_url, last_url, visit_count from visits
    where organization_id = ${organizationId} and first_at < ${until} and last_at >= ${since}
      and ${isInRange}
    order by first_at, id`.execute(db);
  if (urlIds === undefined) return rows;
  return rows.filter(({ first_url, last_url }) => {
    const next = urlIds[lowerBound(urlIds, first_url)];
    return next !== undefined && next <= last_url;
  });
}

/** Reads rows in their order. Yields the wanted visits of each. */
export async function* readRows(
  db: Kysely<Schema>,
  rows: readonly VisitRow[],
  wanted: WantedVisits,
): AsyncGenerator<VisitColumns> {
  for (const part of divide(rows)) {
    const ids = part.map(({ id }) => id);
    const rowsOf = db.selectFrom('visits').select(['id', 'visit_count', 'visits']);
    const found = await rowsOf.where('id', 'in', ids).execute();
    // SQLite would copy the bytes to sort the rows.
    const byId = new Map(found.map((row) => [row.id, row]));
    for (const listed of part) {
      const row = byId.get(listed.id);
      if (row) yield selectWanted(decodeRow(row), listed, wanted);
    }
  }
}

/** Divides rows into those of a query. */
function* divide(rows: readonly VisitRow[]): Generator<readonly VisitRow[]> {
  let [start, visits] = [0, 0];
  for (const [index, { visit_count }] of rows.entries()) {
    visits += visit_count;
    if (visits < visitsPerQuery && index - start < rowsPerQuery - 1) continue;
    yield rows.slice(start, index + 1);
    [start, visits] = [index + 1, 0];
  }
  if (start < rows.length) yield rows.slice(start);
}

function selectWanted(
  columns: VisitColumns,
  { first_at, last_at, first_url, last_url }: VisitRow,
  { since, until, urlIds: wanted }: WantedVisits,
): VisitColumns {
  const isWithin = since <= first_at && last_at < until;
  // A row of one link was listed because the link is wanted.
  const isOfWanted = wanted === undefined || first_url === last_url;
  if (isWithin && isOfWanted) return columns;
  const { urlIds, visitedAt } = columns;
  return selectVisits(columns, (index) => {
    const at = visitedAt[index] as number;
    if (at < since || at >= until) return false;
    const urlId = urlIds[index] as number;
    return isOfWanted || wanted[lowerBound(wanted, urlId)] === urlId;
  });
}

/** Returns the index of the first number that is not less than `from`. */
function lowerBound(numbers: Float64Array, from: number): number {
  let low = 0;
  let high = numbers.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((numbers[middle] as number) < from) low = middle + 1;
    else high = middle;
  }
  return low;
}
