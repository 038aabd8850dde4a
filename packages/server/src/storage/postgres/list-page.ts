import { type Kysely, sql } from 'kysely';
import { ListTimeoutError, type Schema } from '../database.js';
import {
  isAfter,
  type ListRow,
  listTimeoutMs,
  newestFirst,
  rowsOf,
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
  // The row that follows the page is read, too.
  const range = sql`${newestFirst} limit ${limit + 1} offset ${offset}`;
  const rest = sql`${rowsOf(query)} and ${condition}`;
  // Materialized, so that the search runs once for both parts.
  const statement = after
    ? sql<CountedRow>`select created_at as key, id ${rest} and ${isAfter(query, after)} ${range}`
    : sql<CountedRow>`
    with found as materialized (select created_at, id ${rest}),
      page as (select created_at, id from found ${range})
    select total, created_at as key, id from (select count(*) as total from found) as counted
      left join page on true ${newestFirst}`;
  try {
    const reader = db.transaction().setAccessMode('read only');
    const { rows } = await reader.execute(async (transaction) => {
      await sql`set local statement_timeout = ${sql.lit(timeoutMs)}`.execute(transaction);
      return statement.execute(transaction);
    });
    const page = rows.flatMap((row) => (row.id === null ? [] : [row]));
    return toListPage(page, limit, after ? undefined : (rows[0]?.total ?? 0));
  } catch (error) {
    throw isStatementTimeout(error) ? new ListTimeoutError(timeoutMs, { cause: error }) : error;
  }
}
