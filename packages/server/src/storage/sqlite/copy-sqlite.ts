import SqliteHandle from 'better-sqlite3';
import { refuseForeignTables } from './sqlite-file.js';

// Another process may be switching the file to WAL or recovering it.
const busyTimeoutMs = 5_000;

/**
 * Copies one snapshot of a database in use into a file that must not exist. SQLite's backup API copies
 * page by page and starts over with every write, so this uses one statement.
 */
export function copySqlite(from: string, to: string): void {
  const handle = new SqliteHandle(from, { fileMustExist: true, timeout: busyTimeoutMs });
  try {
    refuseForeignTables(handle);
    handle.prepare('vacuum into ?').run(to);
  } finally {
    handle.close();
  }
}

/** Returns the integrity errors of one snapshot of a database, which may be in use, or why it cannot be read. */
export function findIntegrityErrors(path: string): string[] {
  const handle = new SqliteHandle(path, { fileMustExist: true, timeout: busyTimeoutMs });
  try {
    handle.exec('begin');
    const results = handle.pragma('integrity_check') as { integrity_check: string }[];
    const orphans = handle.pragma('foreign_key_check') as { table: string; parent: string }[];
    return [
      ...results.map((row) => row.integrity_check).filter((text) => text !== 'ok'),
      ...orphans.map(
        ({ table, parent }) => `a row of ${table} refers to a missing row of ${parent}`,
      ),
    ];
  } catch (error) {
    return [(error as Error).message];
  } finally {
    handle.close();
  }
}
