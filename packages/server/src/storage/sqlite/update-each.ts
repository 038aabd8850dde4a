import type { Database as SqliteHandle, Statement } from 'better-sqlite3';
import { LRUCache } from 'lru-cache';
import type { UpdateEach, Value } from '../database.js';
import { translateSqliteError } from './sqlite-error.js';

/** Updates the rows one by one with a prepared statement, without a promise for each. */
export function eachUpdater(handle: SqliteHandle): UpdateEach {
  const statements = new LRUCache<string, Statement<[Value[]]>>({ max: 50 });

  return async (_transaction, table, rows) => {
    const [first] = rows;
    if (!first) return [];
    const sets = Object.keys(first.set).map((column) => `${column} = ?`);
    const wheres = Object.keys(first.where).map((column) => `${column} = ?`);
    const text = `update ${table} set ${sets.join()} where ${wheres.join(' and ')}`;
    try {
      let statement = statements.get(text);
      if (!statement) {
        statement = handle.prepare<[Value[]]>(text);
        statements.set(text, statement);
      }
      const changed: boolean[] = [];
      for (const { set, where } of rows) {
        const values = [...Object.values(set), ...Object.values(where)] as Value[];
        changed.push(statement.run(values).changes > 0);
      }
      return changed;
    } catch (error) {
      throw translateSqliteError(error);
    }
  };
}
