import { SqliteError } from 'better-sqlite3';
import { StorageUnavailableError } from '../database.js';

const locked = /^SQLITE_(BUSY|LOCKED)/;
const temporary = /^SQLITE_(BUSY|LOCKED|FULL|IOERR|CANTOPEN|READONLY|PROTOCOL|NOMEM)/;

export function isLocked(error: unknown): boolean {
  return error instanceof SqliteError && locked.test(error.code);
}

/**
 * Converts SQLite's errors about locks, the disk and memory to StorageUnavailableError, and returns
 * any other error unchanged.
 */
export function translateSqliteError(error: unknown): unknown {
  if (error instanceof SqliteError && temporary.test(error.code)) {
    return new StorageUnavailableError(`storage is unavailable (${error.code})`, { cause: error });
  }
  return error;
}
