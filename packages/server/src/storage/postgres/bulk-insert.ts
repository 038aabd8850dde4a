import { CompiledQuery } from 'kysely';
import type { BulkInsert, Value } from '../database.js';
import type { ColumnTypes } from './column-types.js';
import { createPartitions } from './partitions.js';

/**
 * Inserts any number of rows by one statement with an array for each column. PostgreSQL limits the
 * number of a statement's parameters, not their length.
 */
export function bulkInserter(types: ColumnTypes): BulkInsert {
  return async (transaction, table, rows) => {
    if (rows.length === 0) return;
    const records = rows as readonly Record<string, Value>[];
    const columns = Object.keys(records[0] ?? {}).filter((column) =>
      records.some((record) => record[column] !== null),
    );
    await createPartitions(transaction, table, records);
    const typeOf = await types.of(transaction, table);
    const names = columns.map((column) => `"${column}"`).join();
    const arrays = columns.map((column, at) => `$${at + 1}::${typeOf(column)}[]`).join();
    const text = `insert into ${table} (${names}) select * from unnest(${arrays})`;
    const parameters = columns.map((column) => records.map((record) => record[column] ?? null));
    await transaction.executeQuery(CompiledQuery.raw(text, parameters));
  };
}
