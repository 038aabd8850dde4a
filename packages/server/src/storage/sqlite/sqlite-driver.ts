import { SqliteError, type Database as SqliteHandle, type Statement } from 'better-sqlite3';
import { CompiledQuery, type DatabaseConnection, type Driver, type QueryResult } from 'kysely';
import { LRUCache } from 'lru-cache';
import { StorageUnavailableError, UniqueViolationError } from '../database.js';

const maxStatements = 500;

/**
 * Runs Kysely on one handle, and prepares each statement once. Callers queue for the handle in constant
 * time, unlike in Kysely's own driver.
 */
export function driverOf(handle: SqliteHandle): Driver {
  const statements = new LRUCache<string, Statement<unknown[], unknown>>({
    max: maxStatements,
    memoMethod: (text) => handle.prepare(text),
  });
  const connection: DatabaseConnection = {
    async executeQuery<Row>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> {
      try {
        const statement = statements.memo(sql);
        if (statement.reader) return { rows: statement.all(parameters) as Row[] };
        return { rows: [], numAffectedRows: BigInt(statement.run(parameters).changes) };
      } catch (error) {
        throw translateSqliteError(error);
      }
    },
    streamQuery() {
      throw new Error('nothing reads rows one by one');
    },
  };
  const run = async (text: string) => {
    await connection.executeQuery(CompiledQuery.raw(text));
  };
  let queue: Promise<void> = Promise.resolve();
  let release = (): void => {};
  return {
    async init() {},
    async acquireConnection() {
      const before = queue;
      let end = (): void => {};
      queue = new Promise((resolve) => {
        end = resolve;
      });
      await before;
      release = end;
      return connection;
    },
    async releaseConnection() {
      release();
    },
    beginTransaction: () => run('begin immediate'),
    commitTransaction: () => run('commit'),
    async rollbackTransaction() {
      // SQLite has rolled back already when the disk is full.
      if (handle.inTransaction) await run('rollback');
    },
    async destroy() {
      handle.close();
    },
  };
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
