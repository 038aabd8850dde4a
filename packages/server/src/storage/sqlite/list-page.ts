import { type Kysely, sql } from 'kysely';
import type { Schema } from '../database.js';
import { ListClock, listTimeoutMs, newestFirst, rowsOf } from '../list-page.js';
import type { ListPage, ListQuery } from '../list-query.js';
import { readSearchPage } from './search-page.js';

interface Position {
  readonly created_at: number;
  readonly id: string | number;
}

/**
 * Reads a search by its index if possible. Otherwise reads the index of the list from the newest row to
 * the oldest in slices, so that other lists run between them. Without a condition, it reads only the
 * index.
 */
export async function readListPage<Id extends string | number>(
  db: Kysely<Schema>,
  query: ListQuery,
): Promise<ListPage<Id>> {
  const page = await readSearchPage(db, query);
  if (page) return page as ListPage<Id>;
  const { condition, limit, offset, timeoutMs = listTimeoutMs } = query;
  const clock = new ListClock(timeoutMs);
  const ids: Id[] = [];
  let total = 0;
  let after: Position | undefined;
  do {
    const { rowsAtOnce } = clock;
    const afterLast = after
      ? sql`and (created_at, id) < (${after.created_at}, ${after.id})`
      : sql``;
    after = await clock.run(async () => {
      const { rows: ends } = await sql<Position>`select created_at, id
        ${rowsOf(query)} ${afterLast} ${newestFirst} limit 1 offset ${rowsAtOnce - 1}`.execute(db);
      const [end] = ends;
      const isOnPage = total < offset + limit && total + rowsAtOnce > offset;
      if (end && !condition && !isOnPage) {
        total += rowsAtOnce;
        return end;
      }
      const until = end ? sql`and (created_at, id) >= (${end.created_at}, ${end.id})` : sql``;
      const { rows } = await sql<{ id: Id }>`select id
        ${rowsOf(query)} ${afterLast} ${until} and ${condition ?? sql`true`} ${newestFirst}`.execute(
        db,
      );
      const from = Math.max(0, offset - total);
      const to = Math.max(0, offset + limit - total);
      for (const { id } of rows.slice(from, to)) ids.push(id);
      total += rows.length;
      return end;
    });
  } while (after);
  return { total, ids };
}
