import { SqliteError } from 'better-sqlite3';
import { StorageUnavailableError } from '../database.js';

const locked = /^SQLITE_(BUSY|LOCKED)/;
const temporary = /^SQLITE_(BUSY|LOCKED|FULL|IOERR|CANTOPEN|READONLY|PROTOCOL|NOMEM)/;

export function isLocked(error: unknown): boolean {
  return error instanceof SqliteError && locked.test(error.code);
}

/** What SQLite says of the machine becomes StorageUnavailableError; its other errors stay. */
export function translateSqliteError(error: unknown): unknown {
  if (error instanceof SqliteError && temporary.test(error.code)) {
    return new StorageUnavailableError(`storage is unavailable (${error.code})`, { cause: error });
  }
  return error;
}
