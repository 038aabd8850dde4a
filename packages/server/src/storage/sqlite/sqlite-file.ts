import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  linkSync,
  lstatSync,
  openSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, resolve } from 'node:path';
import type SqliteHandle from 'better-sqlite3';
import { ConfigError } from '../../config-error.js';

/**
 * Returns the path of the file that a symbolic link leads to, so that all links to a file share one lock,
 * one key and one journal. Any other path is returned as it is. Throws if the link leads to no file.
 */
export function followLinks(path: string): string {
  if (!isLink(path)) return path;
  if (!existsSync(path)) throw new Error('it is a symbolic link that leads to no file');
  return realpathSync(path);
}

/** Returns false for a path that cannot be read: the error of opening the file says why. */
function isLink(path: string): boolean {
  try {
    return lstatSync(path).isSymbolicLink();
  } catch {
    return false;
  }
}

/**
 * Throws an error that says why a path cannot be opened as a database, if SQLite would only say that it
 * cannot. The file may be missing. Never opens the file: closing it would release SQLite's locks of this
 * process.
 */
export function checkAccess(path: string): void {
  try {
    const found = statSync(path, { throwIfNoEntry: false });
    if (!found) return;
    if (found.isDirectory()) throw new Error('it is a folder, and must be the path of a file');
    if (!found.isFile()) throw new Error('it is not a regular file');
    accessSync(path, constants.R_OK | constants.W_OK);
    // SQLite creates its log there, also to read.
    accessSync(dirname(resolve(path)), constants.W_OK);
  } catch (cause) {
    const { code, path: refused } = cause as NodeJS.ErrnoException;
    if (code !== 'EACCES' && code !== 'EROFS') throw cause;
    const reason =
      code === 'EROFS'
        ? 'the file system is read-only'
        : `the user with the id ${process.getuid?.()} may not read and write ${refused}: run the command as the user of the server`;
    throw new Error(reason, { cause });
  }
}

/**
 * Creates the file with mode 0600, because it holds secrets. SQLite gives its log the same mode. A missing
 * folder is an error: the path may be misspelt, and the server would serve an empty database.
 */
export function createFile(path: string): void {
  if (existsSync(path)) return;
  const folder = dirname(resolve(path));
  if (!existsSync(folder)) {
    throw new Error(
      `there is no folder ${folder}: correct the path, or create the folder (shorty-server start --create)`,
    );
  }
  closeSync(openSync(path, 'a', 0o600));
}

/** Returns the message of an error, with the remedy if the file is damaged or no database. */
export function describeFileError(error: unknown): string {
  const { code = '', message } = error as NodeJS.ErrnoException;
  const damaged = 'the file is damaged: restore a backup (docs/backups.md)';
  if (code.startsWith('SQLITE_CORRUPT')) return `${message}; ${damaged}`;
  return code.startsWith('SQLITE_NOTADB')
    ? `${message}; if the path is right, ${damaged}`
    : message;
}

/** Throws and closes the handle if its file is the database of another program. */
export function refuseForeignTables(handle: SqliteHandle.Database): void {
  const tables = handle
    .prepare<[], string>("select name from sqlite_schema where type = 'table' order by name")
    .pluck()
    .all();
  // The first migration of a new file creates this table first.
  if (tables.length === 0 || tables.includes('kysely_migration')) return;
  handle.close();
  throw new Error(
    `it is the database of another program (with the table ${tables[0]}): use another path for Shorty`,
  );
}

/**
 * Switches a file to the write-ahead log, without which a backup or a reader would block the writer.
 * Throws and closes the handle if SQLite cannot, and says so in its result only.
 */
export function useWriteAheadLog(handle: SqliteHandle.Database): void {
  const mode = handle.pragma('journal_mode = WAL', { simple: true });
  if (mode === 'wal' || handle.memory) return;
  handle.close();
  throw new Error(
    `SQLite cannot use a write-ahead log there (journal mode "${mode}"), as on some network file systems: use a path on a local disk`,
  );
}

/** Loads a key from a file of mode 0600 beside the database. Creates a missing file with `fresh`. */
export function loadKeyFile<Fresh extends string | undefined>(
  path: string,
  fresh: Fresh,
): string | Fresh {
  if (!existsSync(path)) {
    if (fresh === undefined) return fresh;
    const temporaryPath = `${path}.${process.pid}.tmp`;
    try {
      writeFileSync(temporaryPath, fresh, { mode: 0o600, flush: true });
      // Unlike a rename, a link never replaces the key that another process creates at the same time.
      linkSync(temporaryPath, path);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    } finally {
      rmSync(temporaryPath, { force: true });
    }
  }
  const key = readFileSync(path, 'utf8').trim();
  if (key !== '') return key;
  throw new ConfigError(`the key file ${path} is empty: restore it from a backup`);
}
