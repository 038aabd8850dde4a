import { CompiledQuery } from 'kysely';
import type { BulkInsert, Value } from '../database.js';
import type { ColumnTypes } from './column-types.js';
import { makeMonths } from './partitions.js';

/**
 * One statement for any number of rows, with an array for each column: PostgreSQL limits the
 * parameters of a statement, not how long they are.
 */
export function bulkInserter(types: ColumnTypes): BulkInsert {
  return async (transaction, table, rows, { passConflicts = false } = {}) => {
    if (rows.length === 0) return 0;
    const records = rows as readonly Record<string, Value>[];
    const columns = Object.keys(records[0] ?? {}).filter((column) =>
      records.some((record) => record[column] !== null),
    );
    await makeMonths(transaction, table, records);
    const typeOf = await types.of(transaction, table);
    const names = columns.map((column) => `"${column}"`).join();
    const arrays = columns.map((column, at) => `$${at + 1}::${typeOf(column)}[]`).join();
    const text = `insert into ${table} (${names}) select * from unnest(${arrays})${passConflicts ? ' on conflict do nothing' : ''}`;
    const parameters = columns.map((column) => records.map((record) => record[column] ?? null));
    const { numAffectedRows } = await transaction.executeQuery(CompiledQuery.raw(text, parameters));
    return Number(numAffectedRows);
  };
}
