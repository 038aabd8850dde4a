import { CompiledQuery } from 'kysely';
import type { BulkInsert, Value, WriteTransaction } from '../database.js';
import { makeMonths } from './partitions.js';

/**
 * One statement for any number of rows, with an array for each column: PostgreSQL limits the
 * parameters of a statement, not how long they are.
 */
export function bulkInserter(): BulkInsert {
  const tables = new Map<string, ReadonlyMap<string, string>>();

  return async (transaction, table, rows, { passConflicts = false } = {}) => {
    if (rows.length === 0) return 0;
    const records = rows as readonly Record<string, Value>[];
    const columns = Object.keys(records[0] ?? {}).filter((column) =>
      records.some((record) => record[column] !== null),
    );
    await makeMonths(transaction, table, records);
    let types = tables.get(table);
    if (!types) {
      types = await readColumnTypes(transaction, table);
      tables.set(table, types);
    }
    const names = columns.map((column) => `"${column}"`).join();
    const arrays = columns.map((column, at) => `$${at + 1}::${types.get(column)}[]`).join();
    const text = `insert into ${table} (${names}) select * from unnest(${arrays})${passConflicts ? ' on conflict do nothing' : ''}`;
    const parameters = columns.map((column) => records.map((record) => record[column] ?? null));
    const { numAffectedRows } = await transaction.executeQuery(CompiledQuery.raw(text, parameters));
    return Number(numAffectedRows);
  };
}

async function readColumnTypes(
  transaction: WriteTransaction,
  table: string,
): Promise<ReadonlyMap<string, string>> {
  const { rows } = await transaction.executeQuery<{ name: string; type: string }>(
    CompiledQuery.raw(
      `select attname as name, format_type(atttypid, null) as type from pg_attribute
       where attrelid = $1::regclass and attnum > 0 and not attisdropped`,
      [table],
    ),
  );
  return new Map(rows.map(({ name, type }) => [name, type]));
}
