import { type Kysely, sql } from 'kysely';
import type { Schema } from '../database.js';
import { newestFirst, rowsOf } from '../list-page.js';
import type { ListPage, ListQuery } from '../list-query.js';

/** Reads the page and the total by one statement. */
export async function readListPage<Id extends string | number>(
  db: Kysely<Schema>,
  query: ListQuery,
): Promise<ListPage<Id>> {
  const { condition = sql`true`, limit, offset } = query;
  // Materialized, so that the search runs once for both parts.
  const { rows } = await sql<{ total: number; id: Id | null }>`
    with found as materialized (select created_at, id ${rowsOf(query)} and ${condition}),
      page as (select created_at, id from found ${newestFirst} limit ${limit} offset ${offset})
    select total, id from (select count(*) as total from found) as counted
      left join page on true ${newestFirst}`.execute(db);
  const ids = rows.flatMap(({ id }) => (id === null ? [] : [id]));
  return { total: rows[0]?.total ?? 0, ids };
}
