import { hostname } from 'node:os';
import SqliteHandle from 'better-sqlite3';
import { ConfigError } from '../../config-error.js';
import { createFile } from './create-file.js';

interface Holder {
  readonly pid: number;
  readonly host: string;
  /** A time in the format of ISO 8601. */
  readonly since: string;
}

// Another server may be writing its own row at the same moment.
const busyTimeoutMs = 1_000;

/**
 * Reserves a database file for one server, because the cache of a second one would not learn of the
 * first one's writes. Operator commands do not take the lock. Returns the function that releases it.
 *
 * The lock is SQLite's lock on `<path>.lock`, which the operating system releases when the process
 * ends. It excludes writers only, so the row with its holder stays readable.
 *
 * @throws {ConfigError} when another server has the lock; the message names it
 */
export function lockForServer(path: string, now: number): () => void {
  const file = `${path}.lock`;
  const handle = openLock(file);
  try {
    handle.exec('begin immediate');
    handle.pragma(`busy_timeout = ${busyTimeoutMs}`);
    handle.exec(
      'create table if not exists holder (pid integer, host text, since text); delete from holder',
    );
    handle
      .prepare('insert into holder (pid, host, since) values (?, ?, ?)')
      .run(process.pid, hostname(), new Date(now).toISOString());
    // A server that starts between the two statements takes the lock and replaces the row.
    handle.exec('commit; begin immediate');
  } catch (error) {
    try {
      throw refusal(path, handle, error as Error);
    } finally {
      handle.close();
    }
  }
  return () => {
    handle.close();
  };
}

function openLock(file: string): SqliteHandle.Database {
  try {
    createFile(file);
    return new SqliteHandle(file, { timeout: 0 });
  } catch (cause) {
    throw new ConfigError(`${file} cannot be opened (${(cause as Error).message})`, { cause });
  }
}

function refusal(path: string, handle: SqliteHandle.Database, cause: Error): ConfigError {
  const isLocked = 'code' in cause && String(cause.code).startsWith('SQLITE_BUSY');
  if (!isLocked) {
    return new ConfigError(
      `${path}.lock cannot be locked (${cause.message}): store the database on a local disk; if the file is damaged, delete it while no server runs`,
      { cause },
    );
  }
  handle.pragma(`busy_timeout = ${busyTimeoutMs}`);
  const holder = readHolder(handle);
  const who = holder && `process ${holder.pid} on ${holder.host}, since ${holder.since}`;
  return new ConfigError(
    `another server uses the database ${path}${who ? ` (${who})` : ''}: stop it first, or run several servers on one PostgreSQL (docs/postgresql.md)`,
    { cause },
  );
}

/** Returns undefined while the first server of the file writes its row. */
function readHolder(handle: SqliteHandle.Database): Holder | undefined {
  const tables = handle.prepare("select 1 from sqlite_schema where name = 'holder'").all();
  return tables.length === 0 ? undefined : handle.prepare<[], Holder>('select * from holder').get();
}
