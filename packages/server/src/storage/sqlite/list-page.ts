import { type Kysely, sql } from 'kysely';
import type { Position } from '../../contract/fields.js';
import type { Schema } from '../database.js';
import {
  isAfter,
  ListClock,
  type ListRow,
  listTimeoutMs,
  newestFirst,
  rowsOf,
  toListPage,
} from '../list-page.js';
import type { ListPage, ListQuery } from '../list-query.js';
import { readSearchPage } from './search-page.js';

/**
 * Reads a search by its index if possible. Otherwise reads the index of the list in slices, so that
 * other lists run between them: from its start to its end, or from the position `after` until the page
 * is full. Without a condition, it reads only the index.
 */
export async function readListPage<Id extends string | number>(
  db: Kysely<Schema>,
  query: ListQuery,
): Promise<ListPage<Id>> {
  const page = await readSearchPage(db, query);
  if (page) return page as ListPage<Id>;
  const { condition, limit, offset, after, timeoutMs = listTimeoutMs } = query;
  const clock = new ListClock(timeoutMs);
  // The rows of the page, and the row that follows it.
  const found: ListRow[] = [];
  let total = 0;
  let last: Position | undefined = after;
  do {
    const { rowsAtOnce } = clock;
    const rest = last ? sql`${rowsOf(query)} and ${isAfter(query, last)}` : rowsOf(query);
    last = await clock.run(async () => {
      const { rows: ends } = await sql<ListRow>`select created_at as key, id
        ${rest} ${newestFirst} limit 1 offset ${rowsAtOnce - 1}`.execute(db);
      const [end] = ends;
      const position: Position | undefined = end && [end.key, end.id];
      const isOnPage = total <= offset + limit && total + rowsAtOnce > offset;
      if (position && !condition && !isOnPage) {
        total += rowsAtOnce;
        return position;
      }
      const until = end ? sql`and (created_at, id) >= (${end.key}, ${end.id})` : sql``;
      const { rows } = await sql<ListRow>`select created_at as key, id
        ${rest} ${until} and ${condition ?? sql`true`} ${newestFirst}`.execute(db);
      const from = Math.max(0, offset - total);
      const to = Math.max(0, offset + limit + 1 - total);
      for (const row of rows.slice(from, to)) found.push(row);
      total += rows.length;
      return position;
    });
  } while (last && !(after && found.length > limit));
  return toListPage(found, limit, after ? undefined : total);
}
