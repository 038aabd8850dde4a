import type { Database as SqliteHandle, Statement } from 'better-sqlite3';
import { LRUCache } from 'lru-cache';

const maxStatements = 500;
const caches = new WeakMap<SqliteHandle, LRUCache<string, Statement<unknown[]>>>();

/** Returns the prepared statement of a text, which each handle caches. */
export function prepareStatement(handle: SqliteHandle, text: string): Statement<unknown[]> {
  let statements = caches.get(handle);
  if (!statements) {
    statements = new LRUCache({ max: maxStatements });
    caches.set(handle, statements);
  }
  let statement = statements.get(text);
  if (!statement) {
    statement = handle.prepare<unknown[]>(text);
    statements.set(text, statement);
  }
  return statement;
}
