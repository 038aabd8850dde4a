import { hostname } from 'node:os';
import SqliteHandle from 'better-sqlite3';
import { ConfigError } from '../../config-error.js';
import { createFile } from './sqlite-file.js';

// Another server may be writing its own row at the same moment.
const busyTimeoutMs = 1_000;

/**
 * Reserves a database file for one server, because the cache of a second one would not learn of the
 * first one's writes. Operator commands do not take the lock. Returns the function that releases it.
 * Throws a ConfigError that names the server which has the lock.
 *
 * The lock is SQLite's lock on `<path>.lock`, which the operating system releases when the process
 * ends. It excludes writers only, so the row with its holder stays readable.
 */
export function lockForServer(path: string, now: number): () => void {
  const file = `${path}.lock`;
  let handle: SqliteHandle.Database | undefined;
  try {
    createFile(file);
    handle = new SqliteHandle(file, { timeout: 0 });
    handle.exec('begin immediate');
    handle.pragma(`busy_timeout = ${busyTimeoutMs}`);
    handle.exec('create table if not exists server (name text); delete from server');
    const since = new Date(now).toISOString();
    const name = `process ${process.pid} on ${hostname()}, since ${since}`;
    handle.prepare('insert into server values (?)').run(name);
    // A server that starts between the two statements takes the lock and replaces the row.
    handle.exec('commit; begin immediate');
    const { close } = handle;
    return close.bind(handle);
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    const holder = handle && code?.startsWith('SQLITE_BUSY') && describeHolder(handle);
    handle?.close();
    throw new ConfigError(
      holder === undefined || holder === false
        ? `${file} cannot be locked (${message}): ${remedyOf(code)}`
        : `another server uses the database ${path}${holder}: stop it first, or run several servers on one PostgreSQL (docs/postgresql.md)`,
      { cause },
    );
  }
}

function remedyOf(code = ''): string {
  if (/FULL|ENOSPC|EDQUOT/.test(code)) return 'free space on the disk';
  return /CORRUPT|NOTADB/.test(code)
    ? 'the file is damaged: delete it while no server runs'
    : 'store the database on a local disk';
}

/** Returns an empty text while the first server of the file writes its row. */
function describeHolder(handle: SqliteHandle.Database): string {
  try {
    handle.pragma(`busy_timeout = ${busyTimeoutMs}`);
    return ` (${handle.prepare('select name from server').pluck().get()})`;
  } catch {
    return '';
  }
}
