import { setTimeout as sleep } from 'node:timers/promises';
import { CompiledQuery, type DatabaseConnection, SqliteDriver } from 'kysely';
import { isLocked, type PreparedDatabase } from './prepared-database.js';

// Another process may hold the write lock. Waiting inside SQLite would block the event loop, and
// redirects with it, so SQLite returns at once and the driver retries.
const lockWaitMs = 5_000;
// The threads of this server hold the lock for some milliseconds. The first retries are therefore early.
const firstLockRetryMs = 1;
const maxLockRetryMs = 10;

/** Runs Kysely on one handle. Callers queue for it in constant time, unlike in Kysely's own driver. */
export class QueuedSqliteDriver extends SqliteDriver {
  readonly #database: PreparedDatabase;
  /** Acquired once, because the queue replaces the mutex of Kysely's driver. */
  #connection: DatabaseConnection | undefined;
  #queue: Promise<void> = Promise.resolve();
  #release: (() => void) | undefined;

  constructor(database: PreparedDatabase) {
    super({ database });
    this.#database = database;
  }

  override async acquireConnection(): Promise<DatabaseConnection> {
    const before = this.#queue;
    let release: () => void = () => {};
    this.#queue = new Promise((resolve) => {
      release = resolve;
    });
    await before;
    this.#release = release;
    this.#connection ??= await super.acquireConnection();
    return this.#connection;
  }

  override async releaseConnection(): Promise<void> {
    this.#release?.();
  }

  override async beginTransaction(connection: DatabaseConnection): Promise<void> {
    const deadline = performance.now() + lockWaitMs;
    for (let retryMs = firstLockRetryMs; ; retryMs = Math.min(2 * retryMs, maxLockRetryMs)) {
      try {
        await connection.executeQuery(CompiledQuery.raw('begin immediate'));
        return;
      } catch (error) {
        if (!isLocked(error) || performance.now() > deadline) throw error;
      }
      await sleep(retryMs);
    }
  }

  override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    // SQLite has rolled back already when the disk is full.
    if (this.#database.handle.inTransaction) await super.rollbackTransaction(connection);
  }
}
