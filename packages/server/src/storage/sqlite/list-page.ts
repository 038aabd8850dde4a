import { type Kysely, sql } from 'kysely';
import type { Position } from '../../contract/fields.js';
import type { Schema } from '../database.js';
import {
  findSlice,
  isAfter,
  keyOf,
  ListClock,
  type ListRow,
  listTimeoutMs,
  rowsOf,
  SortedRows,
  sortedBy,
  toListPage,
} from '../list-page.js';
import type { ListPage, ListQuery } from '../list-query.js';
import { readSearchPage } from './search-page.js';

/** Reads a search by its index if possible, and any other list by its index of `created_at`. */
export async function readListPage<Id extends string | number>(
  db: Kysely<Schema>,
  query: ListQuery,
): Promise<ListPage<Id>> {
  const page = await readSearchPage(db, query);
  if (page) return page as ListPage<Id>;
  if (query.order?.key) return readSortedPage(db, query);
  const { after, condition } = query;
  return after && !condition ? readNextPage(db, query, after) : readIndexedPage(db, query);
}

/** Reads the rows of the index after a position. */
async function readNextPage<Id extends string | number>(
  db: Kysely<Schema>,
  query: ListQuery,
  after: Position,
): Promise<ListPage<Id>> {
  const { limit } = query;
  const { rows } = await sql<ListRow>`select created_at as key, id
    ${rowsOf(query)} and ${isAfter(query, after)} ${sortedBy(query)} limit ${limit + 1}`.execute(
    db,
  );
  return toListPage(rows, limit, undefined);
}

/**
 * Reads the index of the list in slices, so that other lists run between them: from its start to its
 * end, or from the position `after` until the page is full. Without a condition, it reads only the
 * index.
 */
async function readIndexedPage<Id extends string | number>(
  db: Kysely<Schema>,
  query: ListQuery,
): Promise<ListPage<Id>> {
  const { condition, limit, offset, after, timeoutMs = listTimeoutMs } = query;
  const clock = new ListClock(timeoutMs);
  // The rows of the page, and the row that follows it.
  const found: ListRow[] = [];
  let total = 0;
  let last: Position | undefined = after;
  do {
    const { rowsAtOnce } = clock;
    last = await clock.run(async () => {
      const { end, slice } = await findSlice(db, query, last, rowsAtOnce);
      const isOnPage = total <= offset + limit && total + rowsAtOnce > offset;
      if (end && !condition && !isOnPage) {
        total += rowsAtOnce;
        return end;
      }
      const { rows } = await sql<ListRow>`select created_at as key, id
        ${slice} and ${condition ?? sql`true`} ${sortedBy(query)}`.execute(db);
      const from = Math.max(0, offset - total);
      const to = Math.max(0, offset + limit + 1 - total);
      for (const row of rows.slice(from, to)) found.push(row);
      total += rows.length;
      return end;
    });
  } while (last && !(after && found.length > limit));
  return toListPage(found, limit, after ? undefined : total);
}

/** Reads all rows in slices and sorts them by a value that has no index. */
async function readSortedPage<Id extends string | number>(
  db: Kysely<Schema>,
  query: ListQuery,
): Promise<ListPage<Id>> {
  const { condition, after, timeoutMs = listTimeoutMs } = query;
  const clock = new ListClock(timeoutMs);
  const sorted = new SortedRows(query);
  const byIndex = { ...query, order: undefined };
  const isListed = after ? isAfter(query, after) : sql`true`;
  let last: Position | undefined;
  do {
    const { rowsAtOnce } = clock;
    last = await clock.run(async () => {
      const { end, slice } = await findSlice(db, byIndex, last, rowsAtOnce);
      const { rows } = await sql<ListRow>`select ${keyOf(query)} as key, id
        ${slice} and ${condition ?? sql`true`} and ${isListed}`.execute(db);
      sorted.add(rows);
      return end;
    });
  } while (last);
  return sorted.toPage();
}
