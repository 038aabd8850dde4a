import {
  CompiledQuery,
  type Expression,
  type Insertable,
  type Kysely,
  PostgresAdapter,
  type Selectable,
  type SqlBool,
  sql,
  type Updateable,
} from 'kysely';
import { yieldToEventLoop } from '../yield-to-event-loop.js';
import type { Row } from './batches.js';
import type { Schema, WriteTransaction } from './database.js';
import { definitionIn, definitionOf, type Table } from './schema.js';

export function isPostgres(db: Kysely<Schema>): boolean {
  return db.getExecutor().adapter instanceof PostgresAdapter;
}

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
  return isPostgres(db)
    ? sql<SqlBool>`${expression} = any(array(select unnest(cast(${`{${list}}`} as bigint[]))))`
    : sql<SqlBool>`${expression} in (select value from json_each(${`[${list}]`}))`;
}

// Takes about 0.2 ms on SQLite.
const rowsAtOnce = 16;

/**
 * Inserts any number of rows. PostgreSQL gets one statement with an array for each column, because it limits
 * the number of parameters and not their length. SQLite gets a statement for each row: it would first copy
 * every page that a longer one touches, to be able to undo half of it. `onConflict` is a clause of SQL.
 */
export async function bulkInsert<Name extends Table>(
  transaction: WriteTransaction,
  table: Name,
  rows: readonly Insertable<Schema[Name]>[],
  onConflict = '',
): Promise<void> {
  const records = rows as readonly Row[];
  if (records.length === 0) return;
  const columns = Object.keys(records[0] ?? {});
  if (isPostgres(transaction)) {
    const text = `insert into ${table} (${columns.map(quote).join()})
      select * from unnest(${arraysOf(table, columns)}) ${onConflict}`;
    const arrays = columns.map((column) => records.map((record) => record[column] ?? null));
    await transaction.executeQuery(CompiledQuery.raw(text, arrays));
    return;
  }
  const filled = columns.filter((column) => records.some((record) => record[column] != null));
  const text = `insert into ${table} (${filled.map(quote).join()})
    values (${filled.map(() => '?').join()}) ${onConflict}`;
  const query = CompiledQuery.raw(text);
  await transaction.getExecutor().provideConnection(async (connection) => {
    for (const [index, record] of records.entries()) {
      if (index % rowsAtOnce === rowsAtOnce - 1) await yieldToEventLoop();
      const parameters = filled.map((column) => record[column] ?? null);
      await connection.executeQuery({ ...query, parameters });
    }
  });
}

/**
 * Updates the same columns of several rows to different values: by one statement with arrays on PostgreSQL,
 * and one by one on SQLite. `where` has columns and their required values, none of which may be null.
 * Returns for each row whether it exists.
 */
export async function updateEach<Name extends Table>(
  transaction: WriteTransaction,
  table: Name,
  rows: readonly {
    readonly set: Updateable<Schema[Name]>;
    readonly where: Updateable<Schema[Name]>;
  }[],
): Promise<boolean[]> {
  const changes = rows as readonly { readonly set: Row; readonly where: Row }[];
  const [first] = changes;
  if (!first) return [];
  const [sets, wheres] = [Object.keys(first.set), Object.keys(first.where)];
  const parameters = changes.map(({ set, where }) => [
    ...sets.map((column) => set[column] ?? null),
    ...wheres.map((column) => where[column] ?? null),
  ]);
  if (!isPostgres(transaction)) {
    const toValue = (column: string) => `${quote(column)} = ?`;
    const text = `update ${table} set ${sets.map(toValue).join()} where ${wheres.map(toValue).join(' and ')}`;
    const changed: boolean[] = [];
    for (const values of parameters) {
      const result = await transaction.executeQuery(CompiledQuery.raw(text, values));
      changed.push(result.numAffectedRows !== 0n);
    }
    return changed;
  }
  const columns = [...sets, ...wheres];
  const assigned = sets.map((column, at) => `${quote(column)} = given_${at}`);
  const required = wheres.map((column, at) => `own.${quote(column)} = given_${sets.length + at}`);
  const text = `update ${table} as own set ${assigned.join()}
    from unnest(${arraysOf(table, columns)}) with ordinality
      as given(${columns.map((_, at) => `given_${at}`).join()}, number)
    where ${required.join(' and ')} returning number`;
  const arrays = columns.map((_, at) => parameters.map((values) => values[at]));
  const query = CompiledQuery.raw(text, arrays) as CompiledQuery<{ number: number }>;
  // Ordinality counts from 1.
  const result = await transaction.executeQuery(query);
  const changed = new Set(result.rows.map(({ number }) => number - 1));
  return rows.map((_, at) => changed.has(at));
}

/** Returns a row that has these values in these columns; undefined if there is none. */
export async function findWhere<Name extends Table>(
  db: Kysely<Schema>,
  table: Name,
  where: Partial<Selectable<Schema[Name]>>,
): Promise<Selectable<Schema[Name]> | undefined> {
  const conditions = Object.entries(where).map(
    ([column, value]) => sql`${sql.ref(column)} = ${value}`,
  );
  const { rows } = await sql<Selectable<Schema[Name]>>`select * from ${sql.table(table)}
    where ${sql.join(conditions, sql` and `)} limit 1`.execute(db);
  return rows[0];
}

/** Updates the rows that have these values in these columns. Returns whether there are any. */
export async function updateWhere<Name extends Table>(
  transaction: WriteTransaction,
  table: Name,
  where: Updateable<Schema[Name]>,
  set: Updateable<Schema[Name]>,
): Promise<boolean> {
  return (await updateEach(transaction, table, [{ set, where }]))[0] === true;
}

function quote(column: string): string {
  return `"${column}"`;
}

/** Returns the parameters of PostgreSQL that are arrays of the values of columns. */
function arraysOf(table: Table, columns: readonly string[]): string {
  const arrays = columns.map((column, at) => {
    const definition = definitionIn('postgres', definitionOf(table).columns[column] ?? '');
    const [type] = /^(?:double precision|\w+)/.exec(definition) ?? [];
    return `$${at + 1}::${type}[]`;
  });
  return arrays.join();
}
