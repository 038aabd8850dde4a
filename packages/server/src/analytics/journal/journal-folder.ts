import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import SqliteHandle from 'better-sqlite3';

/**
 * The journal folder of one writer: numbered segments and a file lock. The operating system releases
 * the lock when the process ends, so a folder that can be locked is orphaned.
 */
export class JournalFolder {
  readonly path: string;
  /** The folder's name. */
  readonly writerId: string;
  readonly #lock: SqliteHandle.Database;

  private constructor(path: string, writerId: string, lock: SqliteHandle.Database) {
    this.path = path;
    this.writerId = writerId;
    this.#lock = lock;
  }

  /** Creates and locks the folder of a new writer. */
  static create(root: string, writerId: string): JournalFolder {
    // Locked under a hidden name first: other processes claim visible folders that are not locked.
    const hidden = join(root, `.${writerId}`);
    mkdirSync(hidden, { recursive: true, mode: 0o700 });
    const lock = tryLock(hidden);
    if (!lock) throw new Error(`${hidden} is locked by another writer`);
    const path = join(root, writerId);
    renameSync(hidden, path);
    return new JournalFolder(path, writerId, lock);
  }

  /** Locks the folders of writers that have ended. */
  static claimOrphans(root: string): JournalFolder[] {
    if (!existsSync(root)) return [];
    const claimed: JournalFolder[] = [];
    for (const entry of readdirSync(root, { withFileTypes: true })) {
      if (!entry.isDirectory() || entry.name.startsWith('.')) continue;
      const path = join(root, entry.name);
      const lock = tryLock(path);
      if (lock) claimed.push(new JournalFolder(path, entry.name, lock));
    }
    return claimed;
  }

  release(): void {
    this.#lock.close();
  }

  /** Deletes the folder, whose lines must all be in storage. */
  remove(): void {
    this.release();
    rmSync(this.path, { recursive: true, force: true });
  }
}

/** Returns whether a running process writes to a journal in this folder. */
export function hasWriters(root: string): boolean {
  if (!existsSync(root)) return false;
  return readdirSync(root, { withFileTypes: true }).some((entry) => {
    if (!entry.isDirectory()) return false;
    const lock = tryLock(join(root, entry.name));
    lock?.close();
    return lock === undefined;
  });
}

const segmentName = /^(\d{10})\.log$/;

/** Lists the numbers of a folder's segments in ascending order. */
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
