import { CompiledQuery } from 'kysely';
import { LRUCache } from 'lru-cache';
import type { Schema, WriteTransaction } from './database.js';

type Value = string | number | null;

// Building a statement of a hundred rows costs more than running it, so texts are kept. A text is
// bounded by its rows, and so the cache is by its entries.
const texts = new LRUCache<string, string>({ max: 500 });

/** Rows in one statement: enough to gain, few enough for every engine's limit of parameters. */
const rowsPerStatement = 100;

/**
 * Inserts rows with as few statements as it takes; how many were inserted. Columns that are null in
 * every row of a statement are left out of it. With `passConflicts`, a row whose key is taken is
 * passed over instead of failing the transaction.
 */
export async function bulkInsert<Table extends keyof Schema & string>(
  transaction: WriteTransaction,
  table: Table,
  rows: readonly Schema[Table][],
  { passConflicts = false } = {},
): Promise<number> {
  let inserted = 0;
  for (let start = 0; start < rows.length; start += rowsPerStatement) {
    const batch = rows.slice(start, start + rowsPerStatement) as readonly Record<string, Value>[];
    const columns = Object.keys(batch[0] as object).filter((column) =>
      batch.some((row) => row[column] !== null),
    );
    const parameters: Value[] = [];
    for (const row of batch) for (const column of columns) parameters.push(row[column] as Value);
    const result = await transaction.executeQuery(
      CompiledQuery.raw(
        textOf(transaction, table, columns, batch.length, passConflicts),
        parameters,
      ),
    );
    inserted += Number(result.numAffectedRows ?? 0n);
  }
  return inserted;
}

function textOf(
  transaction: WriteTransaction,
  table: keyof Schema & string,
  columns: readonly string[],
  rowCount: number,
  passConflicts: boolean,
): string {
  const name = `${table} ${columns.join()} ${rowCount} ${passConflicts}`;
  let text = texts.get(name);
  if (!text) {
    const row = Object.fromEntries(columns.map((column) => [column, 0]));
    const query = transaction
      .insertInto(table)
      .values(Array.from({ length: rowCount }, () => row) as never);
    text = (passConflicts ? query.onConflict((conflict) => conflict.doNothing()) : query).compile()
      .sql;
    texts.set(name, text);
  }
  return text;
}
