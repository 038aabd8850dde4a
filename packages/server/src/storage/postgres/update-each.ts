import { CompiledQuery } from 'kysely';
import type { UpdateEach, Value } from '../database.js';
import type { ColumnTypes } from './column-types.js';

/** Updates all rows by one statement with an array for each column. */
export function eachUpdater(types: ColumnTypes): UpdateEach {
  return async (transaction, table, rows) => {
    const [first] = rows;
    if (!first) return [];
    const sets = Object.keys(first.set);
    const wheres = Object.keys(first.where);
    const typeOf = await types.of(transaction, table);
    const arrays = [...sets, ...wheres].map((column, at) => `$${at + 1}::${typeOf(column)}[]`);
    const given = [...sets, ...wheres].map((_, at) => `given_${at}`);
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
}

type Columns = Readonly<Record<string, Value>>;
