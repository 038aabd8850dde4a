import { CompiledQuery, type DatabaseConnection, SqliteDriver } from 'kysely';
import type { PreparedDatabase } from './prepared-database.js';

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
    await connection.executeQuery(CompiledQuery.raw('begin immediate'));
  }

  override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    // SQLite has rolled back already when the disk is full.
    if (this.#database.handle.inTransaction) await super.rollbackTransaction(connection);
  }
}
