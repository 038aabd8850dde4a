import { setTimeout as sleep } from 'node:timers/promises';
import type { Database as SqliteHandle } from 'better-sqlite3';
import type { CompiledQuery, DatabaseConnection, Driver, QueryResult } from 'kysely';
import { prepareStatement } from './prepare-statement.js';
import { isLocked, translateSqliteError } from './sqlite-error.js';

// Another process may hold the write lock. Waiting inside SQLite would block the event loop, and
// redirects with it, so SQLite returns at once and the driver retries.
const lockWaitMs = 5_000;
// The threads of this server hold the lock for some milliseconds. The first retries are therefore early.
const firstLockRetryMs = 1;
const maxLockRetryMs = 10;

/** Runs Kysely on one better-sqlite3 handle. Callers queue for it; statements are prepared once. */
export class SqliteDriver implements Driver {
  readonly #connection: SqliteConnection;
  #queue: Promise<void> = Promise.resolve();
  #release: (() => void) | undefined;

  constructor(handle: SqliteHandle) {
    this.#connection = new SqliteConnection(handle);
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<DatabaseConnection> {
    const before = this.#queue;
    let release: () => void = () => {};
    this.#queue = new Promise((resolve) => {
      release = resolve;
    });
    await before;
    this.#release = release;
    return this.#connection;
  }

  async releaseConnection(): Promise<void> {
    this.#release?.();
  }

  async beginTransaction(): Promise<void> {
    const deadline = performance.now() + lockWaitMs;
    for (let retryMs = firstLockRetryMs; ; retryMs = Math.min(2 * retryMs, maxLockRetryMs)) {
      try {
        this.#connection.execute('begin immediate');
        return;
      } catch (error) {
        if (!isLocked(error) || performance.now() > deadline) throw translateSqliteError(error);
      }
      await sleep(retryMs);
    }
  }

  async commitTransaction(): Promise<void> {
    try {
      this.#connection.execute('commit');
    } catch (error) {
      throw translateSqliteError(error);
    }
  }

  async rollbackTransaction(): Promise<void> {
    this.#connection.rollback();
  }

  async destroy(): Promise<void> {
    this.#connection.close();
  }
}

class SqliteConnection implements DatabaseConnection {
  readonly #handle: SqliteHandle;

  constructor(handle: SqliteHandle) {
    this.#handle = handle;
  }

  async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    try {
      const statement = prepareStatement(this.#handle, query.sql);
      if (statement.reader) return { rows: statement.all(...query.parameters) as Row[] };
      const { changes } = statement.run(...query.parameters);
      return { rows: [], numAffectedRows: BigInt(changes) };
    } catch (error) {
      throw translateSqliteError(error);
    }
  }

  // biome-ignore lint/correctness/useYield: Kysely's interface asks for a generator.
  async *streamQuery<Row>(): AsyncIterableIterator<QueryResult<Row>> {
    throw new Error('queries are not streamed from SQLite');
  }

  execute(sql: string): void {
    prepareStatement(this.#handle, sql).run();
  }

  rollback(): void {
    // SQLite has rolled back already when the disk is full.
    if (this.#handle.inTransaction) this.execute('rollback');
  }

  close(): void {
    this.#handle.close();
  }
}
