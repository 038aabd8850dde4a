import { type Expression, type Kysely, PostgresAdapter, type SqlBool, sql } from 'kysely';
import type { Schema } from './database.js';

/**
 * Returns the condition that an expression is one of these numbers. It has one parameter, so that one
 * prepared statement serves any number of them.
 *
 * PostgreSQL uses the index of the expression, whether it has statistics of the table or not: it expects
 * about ten elements of an array that a subquery returns, but 100 rows of `json_each`, for which it prefers
 * to read a table of 10,000 rows.
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
