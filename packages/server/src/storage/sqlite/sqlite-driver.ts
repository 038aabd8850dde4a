import { SqliteError, type Database as SqliteHandle, type Statement } from 'better-sqlite3';
import { CompiledQuery, type DatabaseConnection, type QueryResult, SqliteDriver } from 'kysely';
import { LRUCache } from 'lru-cache';
import { StorageUnavailableError, UniqueViolationError } from '../database.js';

const maxStatements = 500;

/**
 * Runs Kysely on one handle, and prepares each statement once. Callers queue for the handle in constant
 * time, unlike in Kysely's own driver.
 */
export class QueuedSqliteDriver extends SqliteDriver {
  readonly #handle: SqliteHandle;
  /** Acquired once, because the queue replaces the mutex of Kysely's driver. */
  #connection: DatabaseConnection | undefined;
  #queue: Promise<void> = Promise.resolve();
  #release: (() => void) | undefined;

  constructor(handle: SqliteHandle) {
    const statements = new LRUCache<string, Statement<unknown[], unknown>>({
      max: maxStatements,
      memoMethod: (text) => handle.prepare(text),
    });
    const prepare = (text: string) => statements.memo(text);
    super({ database: { prepare, close: () => handle.close() } });
    this.#handle = handle;
  }

  override async acquireConnection(): Promise<DatabaseConnection> {
    const before = this.#queue;
    let release: () => void = () => {};
    this.#queue = new Promise((resolve) => {
      release = resolve;
    });
    await before;
    this.#release = release;
    this.#connection ??= new SqliteConnection(await super.acquireConnection());
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
    if (this.#handle.inTransaction) await super.rollbackTransaction(connection);
  }
}

/** Translates SQLite's errors. */
class SqliteConnection implements DatabaseConnection {
  readonly #connection: DatabaseConnection;

  constructor(connection: DatabaseConnection) {
    this.#connection = connection;
  }

  async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    try {
      return await this.#connection.executeQuery<Row>(query);
    } catch (error) {
      throw translateSqliteError(error);
    }
  }

  streamQuery<Row>(query: CompiledQuery): AsyncIterableIterator<QueryResult<Row>> {
    return this.#connection.streamQuery<Row>(query);
  }
}

const locked = /^SQLITE_(BUSY|LOCKED)/;
const notUnique = /^SQLITE_CONSTRAINT_(PRIMARYKEY|UNIQUE)$/;
const temporary = /^SQLITE_(BUSY|LOCKED|FULL|IOERR|CANTOPEN|READONLY|PROTOCOL|NOMEM)/;

/** Returns true for a translated error that another writer's lock caused. */
export function isLocked(error: unknown): boolean {
  const cause = error instanceof StorageUnavailableError ? error.cause : undefined;
  return cause instanceof SqliteError && locked.test(cause.code);
}

/**
 * Converts SQLite's errors about locks, the disk and memory to StorageUnavailableError, and those about
 * unique keys to UniqueViolationError. Returns any other error unchanged.
 */
function translateSqliteError(error: unknown): unknown {
  if (!(error instanceof SqliteError)) return error;
  const { code, message } = error;
  if (temporary.test(code)) {
    return new StorageUnavailableError(`storage is unavailable (${code})`, { cause: error });
  }
  return notUnique.test(code) ? new UniqueViolationError(message, { cause: error }) : error;
}
