import { type Expression, type Kysely, PostgresAdapter, type SqlBool, sql } from 'kysely';
import type { Schema } from './database.js';

/**
 * Returns the condition that an expression is one of these numbers. It has one parameter, so that one
 * prepared statement serves any number of them.
 *
 * PostgreSQL uses the index of the expression, with and without statistics on the table: it estimates ten
 * elements for an array from a subquery. For `json_each` it estimates 100 rows, and then prefers a sequential
 * scan of 10,000 rows.
 */
export function isAmong(
  db: Kysely<Schema>,
  expression: Expression<number>,
  numbers: Iterable<number>,
) {
  const list = [...numbers].join();
  return db.getExecutor().adapter instanceof PostgresAdapter
    ? sql<SqlBool>`${expression} = any(array(select unnest(cast(${`{${list}}`} as bigint[]))))`
    : sql<SqlBool>`${expression} in (select value from json_each(${`[${list}]`}))`;
}
