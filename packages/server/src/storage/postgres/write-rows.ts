import { CompiledQuery } from 'kysely';
import type { BulkInsert, Schema, UpdateEach, Value } from '../database.js';
import { definitionOf } from '../schema.js';

/**
 * Inserts any number of rows by one statement with an array for each column. PostgreSQL limits the
 * number of a statement's parameters, not their length.
 */
export const bulkInsert: BulkInsert = async (transaction, table, rows) => {
  if (rows.length === 0) return;
  const records = rows as readonly Record<string, Value>[];
  const columns = Object.keys(records[0] ?? {});
  const names = columns.map((column) => `"${column}"`).join();
  const arrays = columns.map((column, at) => `$${at + 1}::${arrayTypeOf(table, column)}`).join();
  const text = `insert into ${table} (${names}) select * from unnest(${arrays})`;
  const parameters = columns.map((column) => records.map((record) => record[column] ?? null));
  await transaction.executeQuery(CompiledQuery.raw(text, parameters));
};

/** Updates all rows by one statement with an array for each column. */
export const updateEach: UpdateEach = async (transaction, table, rows) => {
  const [first] = rows;
  if (!first) return [];
  const sets = Object.keys(first.set);
  const wheres = Object.keys(first.where);
  const columns = [...sets, ...wheres];
  const arrays = columns.map((column, at) => `$${at + 1}::${arrayTypeOf(table, column)}`);
  const given = columns.map((_, at) => `given_${at}`);
  const changes = sets.map((column, at) => `"${column}" = given_${at}`);
  const conditions = wheres.map((column, at) => `own."${column}" = given_${sets.length + at}`);
  const text = `update ${table} as own set ${changes.join()}
    from unnest(${arrays.join()}) with ordinality as given(${given.join()}, number)
    where ${conditions.join(' and ')} returning number`;
  const parameters = [
    ...sets.map((column) => rows.map(({ set }) => (set as Columns)[column] ?? null)),
    ...wheres.map((column) => rows.map(({ where }) => (where as Columns)[column] ?? null)),
  ];
  const result = await transaction.executeQuery<{ number: number }>(
    CompiledQuery.raw(text, parameters),
  );
  // Ordinality counts from 1.
  const changed = new Set(result.rows.map(({ number }) => number - 1));
  return rows.map((_, at) => changed.has(at));
};

type Columns = Readonly<Record<string, Value>>;

const types: Readonly<Record<string, string>> = {
  bytes: 'bytea',
  rowId: 'bigint',
  generatedId: 'bigint',
  double: 'double precision',
  secret: 'text',
};

/** Returns the type of an array of a column's values. */
function arrayTypeOf(table: keyof Schema, name: string): string {
  const definition = definitionOf(table).columns[name];
  if (!definition) throw new Error(`${table} has no column ${name}`);
  const [type = ''] = definition.split(' ');
  return `${types[type] ?? type}[]`;
}
