import type { Database as SqliteHandle } from 'better-sqlite3';
import type { SqliteDatabase, SqliteStatement } from 'kysely';
import { LRUCache } from 'lru-cache';
import { translateSqliteError } from './sqlite-error.js';

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
    const statement = withTranslatedErrors(() => this.handle.prepare<unknown[]>(text));
    return {
      reader: statement.reader,
      all: (parameters) => withTranslatedErrors(() => statement.all(...parameters)),
      run: (parameters) => withTranslatedErrors(() => statement.run(...parameters)),
      iterate: (parameters) => statement.iterate(...parameters),
    };
  }
}

function withTranslatedErrors<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw translateSqliteError(error);
  }
}
