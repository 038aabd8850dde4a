import { SqliteError } from 'better-sqlite3';
import { StorageUnavailableError } from '../database.js';

const locked = /^SQLITE_(BUSY|LOCKED)/;
const temporary = /^SQLITE_(BUSY|LOCKED|FULL|IOERR|CANTOPEN|READONLY|PROTOCOL|NOMEM)/;

/** Returns true for a translated error that another writer's lock caused. */
export function isLocked(error: unknown): boolean {
  const cause = error instanceof StorageUnavailableError ? error.cause : undefined;
  return cause instanceof SqliteError && locked.test(cause.code);
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
