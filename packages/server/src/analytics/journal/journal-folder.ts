import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import SqliteHandle from 'better-sqlite3';

/**
 * The folder of one writer: numbered segments, and a lock that ends with the process that holds it,
 * however that ends. A folder whose lock can be had belongs to nobody any more.
 */
export class JournalFolder {
  readonly path: string;
  /** Names the writer; part of the folder's name. */
  readonly writerId: string;
  readonly #lock: SqliteHandle.Database;

  private constructor(path: string, writerId: string, lock: SqliteHandle.Database) {
    this.path = path;
    this.writerId = writerId;
    this.#lock = lock;
  }

  /** Makes a folder for a new writer. */
  static create(root: string, writerId: string): JournalFolder {
    // Locked before it can be seen: whoever looks for leftovers takes what is not locked.
    const hidden = join(root, `.${writerId}`);
    mkdirSync(hidden, { recursive: true, mode: 0o700 });
    const lock = tryLock(hidden);
    if (!lock) throw new Error(`${hidden} belongs to another writer`);
    const path = join(root, writerId);
    renameSync(hidden, path);
    return new JournalFolder(path, writerId, lock);
  }

  /** Takes over the folders that dead writers have left. */
  static adoptAll(root: string): JournalFolder[] {
    if (!existsSync(root)) return [];
    const adopted: JournalFolder[] = [];
    for (const entry of readdirSync(root, { withFileTypes: true })) {
      if (!entry.isDirectory() || entry.name.startsWith('.')) continue;
      const path = join(root, entry.name);
      const lock = tryLock(path);
      if (lock) adopted.push(new JournalFolder(path, entry.name, lock));
    }
    return adopted;
  }

  /** The numbers of the segments that exist, in order. */
  segments(): number[] {
    return segmentsIn(this.path);
  }

  release(): void {
    this.#lock.close();
  }

  /** Removes the folder of a writer that has nothing left to read. */
  remove(): void {
    this.release();
    rmSync(this.path, { recursive: true, force: true });
  }
}

/** Whether anybody writes to a journal in this folder. */
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
 * SQLite locks files as the operating system does, on every platform, which Node by itself cannot.
 * Undefined where another process has the lock, or has just removed the folder.
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
