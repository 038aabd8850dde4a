import {
  accessSync,
  constants,
  existsSync,
  lstatSync,
  readlinkSync,
  realpathSync,
  statSync,
} from 'node:fs';
import { dirname, resolve } from 'node:path';
import type SqliteHandle from 'better-sqlite3';
import { formatCount } from '../../format-count.js';

// As Linux does.
const maxLinks = 40;
const maxNamedTables = 3;
// What a server writes beside the file, except the lock.
const companions = ['.key', '.visits', '.countries.mmdb'];

/**
 * Returns the path of the file that a path leads to, also if the file does not exist yet. All symbolic
 * links to a file thus share one lock, one key and one journal. Any other path is returned as it is.
 *
 * Throws if files beside a link were written under its name, as versions before 0.2.0 did.
 */
export function followLinks(path: string): string {
  let target = path;
  for (let links = 0; isLink(target); links += 1) {
    if (links === maxLinks) throw new Error('it is a symbolic link that leads to itself');
    target = resolve(realpathSync(dirname(target)), readlinkSync(target));
  }
  const misplaced = companions.map((end) => `${path}${end}`).filter((file) => existsSync(file));
  if (target === path || misplaced.length === 0) return target;
  throw new Error(
    `it is a symbolic link, and files of the database are beside the link (${misplaced.join(', ')}): stop the server, and move them beside ${target}, with the name of that file`,
  );
}

function isLink(path: string): boolean {
  try {
    return lstatSync(path).isSymbolicLink();
  } catch {
    // The reason is in the error of opening the file.
    return false;
  }
}

/**
 * Throws an error that says why a path cannot be opened as a database, if SQLite would only say that it
 * cannot. The file may be missing. Never opens the file: closing it would release SQLite's locks of this
 * process.
 */
export function checkAccess(path: string): void {
  const folder = dirname(resolve(path));
  let exists: boolean;
  try {
    const found = statSync(path, { throwIfNoEntry: false });
    exists = found !== undefined;
    if (found?.isDirectory()) throw new Error('it is a folder, and must be the path of a file');
    if (found && !found.isFile()) throw new Error('it is not a regular file');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EACCES') throw error;
    throw notAllowed(`access the folder of ${path}`, error);
  }
  if (!exists) return;
  try {
    accessSync(path, constants.R_OK | constants.W_OK);
  } catch (error) {
    throw notAllowed('read and write the file', error);
  }
  try {
    // SQLite creates its log there, also to read.
    accessSync(folder, constants.W_OK);
  } catch (error) {
    throw notAllowed(`create files in ${folder}, as SQLite does`, error);
  }
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
  const names = tables.slice(0, maxNamedTables).join(', ');
  const others = tables.length > maxNamedTables ? ', …' : '';
  throw new Error(
    `it is the database of another program (${formatCount(tables.length, 'table')}: ${names}${others}): use another path for Shorty`,
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

/** The cause has the code that decides the exit status. */
function notAllowed(what: string, cause: unknown): Error {
  if ((cause as NodeJS.ErrnoException).code === 'EROFS') {
    return new Error(`nobody can ${what}, because the file system is read-only`, { cause });
  }
  const user = process.getuid?.();
  const who = user === undefined ? 'this user' : `the user with the id ${user}`;
  return new Error(`${who} may not ${what}: run the command as the user of the server`, { cause });
}
