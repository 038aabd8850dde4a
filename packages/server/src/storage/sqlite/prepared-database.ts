import { SqliteError, type Database as SqliteHandle, type Statement } from 'better-sqlite3';
import type { SqliteDatabase, SqliteStatement } from 'kysely';
import { LRUCache } from 'lru-cache';
import { StorageUnavailableError, UniqueViolationError } from '../database.js';

const maxStatements = 500;

/** A handle that prepares each statement once and translates SQLite's errors. */
export class PreparedDatabase implements SqliteDatabase {
  readonly handle: SqliteHandle;
  readonly #statements: LRUCache<string, SqliteStatement>;

  constructor(handle: SqliteHandle) {
    this.handle = handle;
    this.#statements = new LRUCache({
      max: maxStatements,
      memoMethod: (text) => this.#prepare(text),
    });
  }

  prepare(text: string): SqliteStatement {
    return this.#statements.memo(text);
  }

  close(): void {
    this.handle.close();
  }

  #prepare(text: string): SqliteStatement {
    const statement = withTranslatedErrors(() => this.handle.prepare<unknown[], unknown[]>(text));
    const { reader } = statement;
    // The readers of other statements have the names of the old columns.
    if (/^alter/i.test(text)) this.#statements.clear();
    if (reader) statement.raw();
    const toRow = rowReader(statement);
    return {
      reader,
      all: (parameters) => withTranslatedErrors(() => statement.all(...parameters).map(toRow)),
      run: (parameters) => withTranslatedErrors(() => statement.run(...parameters)),
      *iterate(parameters) {
        for (const values of statement.iterate(...parameters)) yield toRow(values);
      },
    };
  }
}

/**
 * Returns a function that makes a row of its values. The driver takes twice as long for a row with 30
 * columns, because it sets each field by a call into V8.
 */
function rowReader(statement: Statement<unknown[], unknown[]>) {
  let names: readonly string[] = [];
  let empty: Readonly<Record<string, unknown>> = {};
  return (values: readonly unknown[]): Record<string, unknown> => {
    if (values.length !== names.length) {
      names = statement.columns().map(({ name }) => name);
      empty = Object.fromEntries(names.map((name) => [name, null]));
    }
    const row = { ...empty };
    for (let index = 0; index < names.length; index += 1) {
      row[names[index] as string] = values[index];
    }
    return row;
  };
}

function withTranslatedErrors<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw translateSqliteError(error);
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
