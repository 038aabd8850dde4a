import {
  CompiledQuery,
  type Expression,
  type Kysely,
  PostgresAdapter,
  type SqlBool,
  sql,
} from 'kysely';
import { yieldToEventLoop } from '../yield-to-event-loop.js';
import type { BulkInsert, Schema, UpdateEach, Value } from './database.js';
import { definitionOf } from './schema.js';

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
 * Inserts rows. PostgreSQL gets one statement with an array for each column, because it limits the number of
 * parameters and not their length. SQLite gets a statement for each row: it would first copy every page that
 * a longer one touches, to be able to undo half of it.
 */
export const bulkInsert: BulkInsert = async (transaction, table, rows) => {
  const records = rows as readonly Columns[];
  if (records.length === 0) return;
  const columns = Object.keys(records[0] ?? {});
  if (isPostgres(transaction)) {
    const text = `insert into ${table} (${columns.map(quote).join()})
      select * from unnest(${arraysOf(table, columns)})`;
    const arrays = columns.map((column) => valuesOf(records, column));
    await transaction.executeQuery(CompiledQuery.raw(text, arrays));
    return;
  }
  const filled = columns.filter((column) => records.some((record) => record[column] != null));
  const text = `insert into ${table} (${filled.map(quote).join()})
    values (${filled.map(() => '?').join()})`;
  const query = CompiledQuery.raw(text);
  await transaction.getExecutor().provideConnection(async (connection) => {
    for (const [index, record] of records.entries()) {
      if (index % rowsAtOnce === rowsAtOnce - 1) await yieldToEventLoop();
      const parameters = filled.map((column) => record[column] ?? null);
      await connection.executeQuery({ ...query, parameters });
    }
  });
};

/** Updates rows: by one statement with arrays on PostgreSQL, and one by one on SQLite. */
export const updateEach: UpdateEach = async (transaction, table, rows) => {
  const [first] = rows;
  if (!first) return [];
  const [sets, wheres] = [Object.keys(first.set), Object.keys(first.where)];
  const given = rows as readonly { readonly set: Columns; readonly where: Columns }[];
  if (isPostgres(transaction)) {
    const columns = [...sets, ...wheres];
    const names = columns.map((_, at) => `given_${at}`);
    const changes = sets.map((column, at) => `${quote(column)} = ${names[at]}`);
    const conditions = wheres.map(
      (column, at) => `own.${quote(column)} = ${names[sets.length + at]}`,
    );
    const text = `update ${table} as own set ${changes.join()}
      from unnest(${arraysOf(table, columns)}) with ordinality as given(${names.join()}, number)
      where ${conditions.join(' and ')} returning number`;
    const arrays = [
      ...sets.map((column) =>
        valuesOf(
          given.map(({ set }) => set),
          column,
        ),
      ),
      ...wheres.map((column) =>
        valuesOf(
          given.map(({ where }) => where),
          column,
        ),
      ),
    ];
    const query = CompiledQuery.raw(text, arrays) as CompiledQuery<{ number: number }>;
    // Ordinality counts from 1.
    const result = await transaction.executeQuery(query);
    const changed = new Set(result.rows.map(({ number }) => number - 1));
    return rows.map((_, at) => changed.has(at));
  }
  const toValue = (column: string) => `${quote(column)} = ?`;
  const text = `update ${table} set ${sets.map(toValue).join()} where ${wheres.map(toValue).join(' and ')}`;
  const changed: boolean[] = [];
  for (const { set, where } of given) {
    const values = [...sets.map((name) => set[name]), ...wheres.map((name) => where[name])];
    const result = await transaction.executeQuery(CompiledQuery.raw(text, values));
    changed.push(result.numAffectedRows !== 0n);
  }
  return changed;
};

type Columns = Readonly<Record<string, Value>>;

function quote(column: string): string {
  return `"${column}"`;
}

function valuesOf(records: readonly Columns[], column: string): Value[] {
  return records.map((record) => record[column] ?? null);
}

/** The types of PostgreSQL that differ from those of the registry. */
const types: Readonly<Record<string, string>> = {
  bytes: 'bytea',
  rowId: 'bigint',
  generatedId: 'bigint',
  double: 'double precision',
  secret: 'text',
};

/** Returns the parameters of PostgreSQL that are arrays of the values of columns. */
function arraysOf(table: keyof Schema, columns: readonly string[]): string {
  const arrays = columns.map((column, at) => {
    const [type = ''] = definitionOf(table).columns[column]?.split(' ') ?? [];
    return `$${at + 1}::${types[type] ?? type}[]`;
  });
  return arrays.join();
}
