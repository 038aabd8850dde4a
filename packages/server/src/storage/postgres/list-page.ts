import { type Kysely, sql } from 'kysely';
import { ListTimeoutError, type Schema } from '../database.js';
import {
  isAfter,
  keyOf,
  type ListRow,
  listTimeoutMs,
  rowsOf,
  sortedBy,
  toListPage,
} from '../list-page.js';
import type { ListPage, ListQuery } from '../list-query.js';
import { isStatementTimeout } from './postgres-error.js';

type CountedRow = { readonly total?: number } & (ListRow | { readonly id: null });

/** Reads the page and the total by one statement, which the server cancels at its time limit. */
export async function readListPage<Id extends string | number>(
  db: Kysely<Schema>,
  query: ListQuery,
): Promise<ListPage<Id>> {
  const { condition = sql`true`, limit, offset, after, timeoutMs = listTimeoutMs } = query;
  const rows = sql`select ${keyOf(query)} as key, id ${rowsOf(query)} and ${condition}`;
  const direction = sql.raw(query.order?.direction ?? 'desc');
  const inOrder = sql`order by key ${direction}, id ${direction}`;
  // The row that follows the page is read, too.
  const range = sql`limit ${limit + 1} offset ${offset}`;
  // Materialized, so that the search runs once for both parts.
  const statement = after
    ? sql<CountedRow>`${rows} and ${isAfter(query, after)} ${sortedBy(query)} ${range}`
    : sql<CountedRow>`
    with found as materialized (${rows}),
      page as (select key, id from found ${inOrder} ${range})
    select total, key, id from (select count(*) as total from found) as counted
      left join page on true ${inOrder}`;
  try {
    const reader = db.transaction().setAccessMode('read only');
    const { rows: found } = await reader.execute(async (transaction) => {
      await sql`set local statement_timeout = ${sql.lit(timeoutMs)}`.execute(transaction);
      return statement.execute(transaction);
    });
    const page = found.flatMap((row) => (row.id === null ? [] : [row]));
    return toListPage(page, limit, after ? undefined : (found[0]?.total ?? 0));
  } catch (error) {
    throw isStatementTimeout(error) ? new ListTimeoutError(timeoutMs, { cause: error }) : error;
  }
}
