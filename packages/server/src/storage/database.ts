import type { Insertable, Kysely, Transaction, Updateable } from 'kysely';
import type { Schema } from './schema.js';

export type { Schema } from './schema.js';
export type WriteTransaction = Transaction<Schema>;

/** What repositories are built on. Engines implement it; nothing else knows which one is there. */
export interface Database {
  readonly engine: Engine;
  /** For reads outside a transaction. They never wait for a writer. */
  readonly read: Kysely<Schema>;
  /** Runs reads that all see the same state, whatever is written meanwhile. */
  snapshot<T>(work: (db: Kysely<Schema>) => Promise<T>): Promise<T>;
  /**
   * Runs reads, each of which fails with a ListTimeoutError after `timeoutMs`. Only an engine that
   * runs statements elsewhere can end one; SQLite's readers work in slices and look at the clock.
   */
  withReadTimeout<T>(timeoutMs: number, work: (db: Kysely<Schema>) => Promise<T>): Promise<T>;
  /**
   * Runs the work alone among the writers of its lane, 'records' when none is named, and commits it,
   * or undoes all of it when it throws. Works may share a commit; so one may be undone and run again,
   * and must not reach outside the transaction.
   */
  write<T>(work: (transaction: WriteTransaction) => Promise<T>, lane?: Lane): Promise<T>;
  /** Calls back once the transaction has been committed, and never when it is undone. */
  afterCommit(transaction: WriteTransaction, callback: () => void): void;
  /**
   * Inserts rows as fast as the engine can; how many. With `passConflicts`, a row whose key is taken
   * is passed over instead of failing the transaction. Columns that are null in every row may be
   * left to their default.
   */
  readonly bulkInsert: BulkInsert;
  /** Changes rows, each in its own way, by the same columns; for each whether it was there. */
  readonly updateEach: UpdateEach;
  /** Reserves URL ids for this transaction; the first of `count` consecutive ones. */
  allocateUrlIds(transaction: WriteTransaction, count: number): Promise<number>;
  /**
   * Tells what anybody has changed that others hold in memory, from when it resolves until the
   * function that it returns is called. Undefined where nobody but this server writes.
   */
  readonly watchChanges: ((watcher: ChangeWatcher) => Promise<() => Promise<void>>) | undefined;
  /** After rows were inserted with ids of their own: the ids that the engine gives go on behind them. */
  resumeIds(transaction: WriteTransaction): Promise<void>;
  /** Brings the tables up to date; the names of the migrations that it applied. */
  migrate(): Promise<string[]>;
  /** The names of the migrations that `migrate` would apply. */
  pendingMigrations(): Promise<string[]>;
  /**
   * The installation's key of that name: `fresh` at the first start, and the same ever after. Those
   * who start at once end up with the same one.
   */
  loadKey(name: string, fresh: string): Promise<string>;
  /** Gives back months of visits that are before an instant and empty, where months are kept apart. */
  dropEmptyMonths(before: number): Promise<number>;
  /** Does what the engine should do now and then, and not on the thread that redirects. */
  maintain(): Promise<void>;
  /** What it takes on this machine's disk; undefined where it is elsewhere. */
  size(): StorageSize | undefined;
  close(): Promise<void>;
}

export type Engine = 'sqlite' | 'postgres';

/**
 * What is written, and therefore who waits for whom. An engine with one writer at a time has one
 * lane. Where it has several, works of 'deliveries' meet each other as well, and claim their rows;
 * 'everything' keeps all the others away.
 */
export type Lane = 'records' | 'visits' | 'sorting' | 'deliveries' | 'everything';

/** Something that caches may hold, and that has changed. */
export interface Change {
  readonly kind: 'urls' | 'pictures' | 'hosts';
  /** Of a link or a QR code its id, of a host its name. */
  readonly key: string;
}

export interface ChangeWatcher {
  onChanged(changes: readonly Change[]): void;
  /** Anything may have changed. */
  onUnknown(): void;
  /** It cannot be told at the moment; said once, until it can be again. */
  onError(error: unknown): void;
}

export interface StorageSize {
  readonly dataBytes: number;
  /** What was written and is not in the data yet. */
  readonly logBytes: number;
}

export type BulkInsert = <Table extends keyof Schema & string>(
  transaction: WriteTransaction,
  table: Table,
  rows: readonly Insertable<Schema[Table]>[],
  options?: { readonly passConflicts?: boolean },
) => Promise<number>;

/** What a parameter of a statement may be. */
export type Value = string | number | Uint8Array | null;

export type UpdateEach = <Table extends keyof Schema & string>(
  transaction: WriteTransaction,
  table: Table,
  rows: readonly {
    readonly set: Updateable<Schema[Table]>;
    /** Columns and what they must be; none may be null. */
    readonly where: Updateable<Schema[Table]>;
  }[],
) => Promise<boolean[]>;

/** Storage is locked, full, read-only or away. The request may succeed later. */
export class StorageUnavailableError extends Error {
  override readonly name = 'StorageUnavailableError';
}

/** A list or a search has read for longer than it may. */
export class ListTimeoutError extends StorageUnavailableError {
  constructor(timeoutMs: number, options?: ErrorOptions) {
    super(`storage is unavailable (the list took more than ${timeoutMs} ms)`, options);
  }
}
