import type { Database as SqliteHandle } from 'better-sqlite3';
import type { UpdateEach, Value } from '../database.js';
import { prepareStatement } from './prepare-statement.js';
import { translateSqliteError } from './sqlite-error.js';

/** Updates the rows one by one with a prepared statement, without a promise for each. */
export function eachUpdater(handle: SqliteHandle): UpdateEach {
  return async (_transaction, table, rows) => {
    const [first] = rows;
    if (!first) return [];
    const sets = Object.keys(first.set).map((column) => `${column} = ?`);
    const wheres = Object.keys(first.where).map((column) => `${column} = ?`);
    const text = `update ${table} set ${sets.join()} where ${wheres.join(' and ')}`;
    try {
      const statement = prepareStatement(handle, text);
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
