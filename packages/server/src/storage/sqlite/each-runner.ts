import type { Database as SqliteHandle, Statement } from 'better-sqlite3';
import { LRUCache } from 'lru-cache';
import type { RunEach, Value } from '../database.js';
import { translateSqliteError } from './sqlite-error.js';

/** One prepared statement, run row by row, without a promise for each. */
export function eachRunner(handle: SqliteHandle): RunEach {
  const statements = new LRUCache<string, Statement<[readonly Value[]]>>({ max: 50 });

  return async (_transaction, { sql }, rows) => {
    try {
      let statement = statements.get(sql);
      if (!statement) {
        statement = handle.prepare<[readonly Value[]]>(sql);
        statements.set(sql, statement);
      }
      const changes: number[] = [];
      for (const values of rows) changes.push(statement.run(values).changes);
      return changes;
    } catch (error) {
      throw translateSqliteError(error);
    }
  };
}
