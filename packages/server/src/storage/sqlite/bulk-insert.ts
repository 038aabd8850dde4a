import type { Database as SqliteHandle } from 'better-sqlite3';
import { yieldToEventLoop } from '../../yield-to-event-loop.js';
import type { BulkInsert, Value } from '../database.js';
import { prepareStatement } from './prepare-statement.js';
import { translateSqliteError } from './sqlite-error.js';

// Takes about 0.2 ms.
const rowsAtOnce = 16;

/**
 * Inserts the rows one by one with a prepared statement. A statement for many rows is slower: SQLite
 * first copies every page that it touches, to be able to undo half of the statement.
 */
export function bulkInserter(handle: SqliteHandle): BulkInsert {
  return async (_transaction, table, rows) => {
    if (rows.length === 0) return;
    const records = rows as readonly Record<string, Value>[];
    const columns = Object.keys(records[0] ?? {}).filter((column) =>
      records.some((record) => record[column] !== null),
    );
    const values: Value[] = new Array(columns.length);
    const text = `insert into ${table} (${columns.join()}) values (${columns.map(() => '?').join()})`;
    try {
      const statement = prepareStatement(handle, text);
      for (const [index, record] of records.entries()) {
        if (index % rowsAtOnce === rowsAtOnce - 1) await yieldToEventLoop();
        for (let at = 0; at < columns.length; at += 1) {
          values[at] = record[columns[at] as string] as Value;
        }
        statement.run(values);
      }
    } catch (error) {
      throw translateSqliteError(error);
    }
  };
}
