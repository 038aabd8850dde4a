import { type Kysely, sql } from 'kysely';
import { ListTimeoutError, type Schema } from '../database.js';
import { listTimeoutMs, newestFirst, rowsOf } from '../list-page.js';
import type { ListPage, ListQuery } from '../list-query.js';
import { isStatementTimeout } from './postgres-error.js';

/** Reads the page and the total by one statement, which the server cancels at its time limit. */
export async function readListPage<Id extends string | number>(
  db: Kysely<Schema>,
  query: ListQuery,
): Promise<ListPage<Id>> {
  const { condition = sql`true`, limit, offset, timeoutMs = listTimeoutMs } = query;
  // Materialized, so that the search runs once for both parts.
  const statement = sql<{ total: number; id: Id | null }>`
    with found as materialized (select created_at, id ${rowsOf(query)} and ${condition}),
      page as (select created_at, id from found ${newestFirst} limit ${limit} offset ${offset})
    select total, id from (select count(*) as total from found) as counted
      left join page on true ${newestFirst}`;
  try {
    const reader = db.transaction().setAccessMode('read only');
    const { rows } = await reader.execute(async (transaction) => {
      await sql`set local statement_timeout = ${sql.lit(timeoutMs)}`.execute(transaction);
      return statement.execute(transaction);
    });
    const ids = rows.flatMap(({ id }) => (id === null ? [] : [id]));
    return { total: rows[0]?.total ?? 0, ids };
  } catch (error) {
    throw isStatementTimeout(error) ? new ListTimeoutError(timeoutMs, { cause: error }) : error;
  }
}
