import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import SqliteHandle from 'better-sqlite3';
import type { Config } from '../../config.js';
import { findDatabaseFile } from '../../storage/locate-database.js';

/** The journal folder of one writer, which is named by the writer's id. */
export type JournalFolder = ReturnType<typeof toFolder>;

/**
 * Returns the folder of all journals: beside the SQLite file, or the configured one for PostgreSQL.
 * Returns undefined for a database in memory.
 */
export function journalRootOf({
  databaseUrl,
  journalFolder,
}: Pick<Config, 'databaseUrl' | 'journalFolder'>): string | undefined {
  const file = findDatabaseFile(databaseUrl);
  if (file !== undefined) return `${file}.visits`;
  return databaseUrl === ':memory:' ? undefined : journalFolder;
}

export function createJournalFolder(root: string, writerId: string): JournalFolder {
  // Locked under a hidden name first: other processes claim visible folders that are not locked.
  const hidden = join(root, `.${writerId}`);
  mkdirSync(hidden, { recursive: true, mode: 0o700 });
  const lock = tryLock(hidden);
  if (!lock) throw new Error(`${hidden} is locked by another writer`);
  const path = join(root, writerId);
  renameSync(hidden, path);
  // A power failure must not lose the folder, whose segments are synced.
  for (const folder of [root, dirname(root)]) syncFolder(folder);
  return toFolder(path, lock);
}

/** Makes the names in a folder survive a loss of power. */
export function syncFolder(path: string): void {
  const folder = openSync(path, 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}

/**
 * Locks the folders of writers that have ended. The operating system releases a lock when its process
 * ends, so a folder that can be locked is orphaned.
 */
export function claimOrphans(root: string): JournalFolder[] {
  return foldersIn(root).flatMap((path) => {
    const lock = basename(path).startsWith('.') ? undefined : tryLock(path);
    return lock ? [toFolder(path, lock)] : [];
  });
}

/** Returns whether a running process writes to a journal in this folder. */
export function hasWriters(root: string): boolean {
  return foldersIn(root).some((path) => {
    const lock = tryLock(path);
    lock?.close();
    return lock === undefined;
  });
}

function toFolder(path: string, lock: SqliteHandle.Database) {
  const release = (): void => {
    lock.close();
  };
  return {
    path,
    writerId: basename(path),
    release,
    /** Deletes the folder, whose lines must all be in storage. */
    remove(): void {
      release();
      rmSync(path, { recursive: true, force: true });
    },
  };
}

/** Lists the folders of all writers. The names of those that are being created begin with a dot. */
export function foldersIn(root: string): string[] {
  if (!existsSync(root)) return [];
  const entries = readdirSync(root, { withFileTypes: true });
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => join(root, name));
}

const segmentName = /^(\d{10})\.log$/;

export function segmentsIn(folder: string): number[] {
  return readdirSync(folder)
    .map((name) => segmentName.exec(name)?.[1])
    .filter((digits) => digits !== undefined)
    .map(Number)
    .sort((a, b) => a - b);
}

export function segmentPath(folder: string, segment: number): string {
  return join(folder, `${String(segment).padStart(10, '0')}.log`);
}

/**
 * Locks a folder by a SQLite file, because Node has no file locks. Returns undefined when another
 * process has the lock, or has just removed the folder.
 */
function tryLock(folder: string): SqliteHandle.Database | undefined {
  let handle: SqliteHandle.Database | undefined;
  try {
    handle = new SqliteHandle(join(folder, 'lock'), { timeout: 0 });
    handle.pragma('journal_mode = memory');
    handle.exec('begin exclusive');
    return handle;
  } catch (error) {
    handle?.close();
    if (error instanceof SqliteHandle.SqliteError && error.code.startsWith('SQLITE_BUSY')) return;
    if (!existsSync(folder)) return;
    throw error;
  }
}
