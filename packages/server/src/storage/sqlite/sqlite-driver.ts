import { SqliteError, type Database as SqliteHandle, type Statement } from 'better-sqlite3';
import { CompiledQuery, type DatabaseConnection, type Driver, type QueryResult } from 'kysely';
import { LRUCache } from 'lru-cache';
import { StorageUnavailableError, UniqueViolationError } from '../database.js';

const maxStatements = 500;

/**
 * Runs Kysely on one handle, and prepares each statement once. Callers queue for the handle in constant
 * time, unlike in Kysely's own driver.
 */
export class QueuedSqliteDriver implements Driver {
  readonly #handle: SqliteHandle;
  readonly #connection: DatabaseConnection;
  #queue: Promise<void> = Promise.resolve();
  #release: (() => void) | undefined;

  constructor(handle: SqliteHandle) {
    this.#handle = handle;
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

  async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('begin immediate'));
  }

  async commitTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('commit'));
  }

  async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    // SQLite has rolled back already when the disk is full.
    if (!this.#handle.inTransaction) return;
    await connection.executeQuery(CompiledQuery.raw('rollback'));
  }

  async destroy(): Promise<void> {
    this.#handle.close();
  }
}

class SqliteConnection implements DatabaseConnection {
  readonly #statements: LRUCache<string, Statement<unknown[], unknown>>;

  constructor(handle: SqliteHandle) {
    this.#statements = new LRUCache<string, Statement<unknown[], unknown>>({
      max: maxStatements,
      memoMethod: (text) => handle.prepare(text),
    });
  }

  async executeQuery<Row>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> {
    try {
      const statement = this.#statements.memo(sql);
      if (statement.reader) return { rows: statement.all(parameters) as Row[] };
      return { rows: [], numAffectedRows: BigInt(statement.run(parameters).changes) };
    } catch (error) {
      throw translateSqliteError(error);
    }
  }

  streamQuery(): never {
    throw new Error('nothing reads rows one by one');
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
    return new StorageUnavailableError(`storage is unavailable (${code}: ${message})`, {
      cause: error,
    });
  }
  return notUnique.test(code) ? new UniqueViolationError(message, { cause: error }) : error;
}
