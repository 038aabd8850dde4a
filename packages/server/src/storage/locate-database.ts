import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type PostgresAddress, parsePostgresUrl } from './postgres/postgres-url.js';
import { checkAccess, followLinks } from './sqlite/sqlite-file.js';

/**
 * Returns the address of a PostgreSQL database, or a path: of a file, or `:memory:`. Throws an error that
 * names the valid forms.
 */
export function locateDatabase(url: string): PostgresAddress | string {
  if (url === ':memory:') return url;
  if (/^postgres(ql)?:\/\//.test(url)) return parsePostgresUrl(url);
  if (/^file:\/\/(localhost)?\/./.test(url)) return fileURLToPath(url);
  if (/^file:(?!\/\/)./.test(url)) return url.slice('file:'.length);
  throw new Error(
    'it must be file: and a path, such as file:./data/shorty.db, :memory:, or postgres://user:password@host/database',
  );
}

/** Returns the path of a SQLite file, without symbolic links; undefined for any other database. */
export function findDatabaseFile(url: string): string | undefined {
  const location = locateDatabase(url);
  if (typeof location !== 'string' || location === ':memory:') return undefined;
  return followLinks(location);
}

/** Returns why a command cannot use a SQLite file, and changes nothing; undefined if it may try. */
export function findFileProblem(file: string, remedy = 'correct the path'): string | undefined {
  try {
    checkAccess(file);
    const size = statSync(file, { throwIfNoEntry: false })?.size;
    if (size === undefined) return `there is no database at ${resolve(file)}: ${remedy}`;
    return size === 0 ? `the file ${resolve(file)} is empty: ${remedy}` : undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

/** Replaces the password of an address, for messages and logs. */
export function hidePassword(url: string): string {
  return url.replace(/(\/\/[^/:@]*:).*@/, '$1***@');
}
