import type { Kysely, Transaction } from 'kysely';
import type { Schema } from './schema.js';

export type { Schema } from './schema.js';
export type WriteTransaction = Transaction<Schema>;

/** What repositories are built on. Engines implement it; nothing else knows which one is there. */
export interface Database {
  /** For reads outside a transaction. They never wait for a writer. */
  readonly read: Kysely<Schema>;
  /** Runs the work alone among writers and commits it, or undoes all of it when it throws. */
  write<T>(work: (transaction: WriteTransaction) => Promise<T>): Promise<T>;
  /** Reserves URL ids for this transaction; the first of `count` consecutive ones. */
  allocateUrlIds(transaction: WriteTransaction, count: number): Promise<number>;
  /** Brings the tables up to date; the names of the migrations that it applied. */
  migrate(): Promise<string[]>;
  close(): Promise<void>;
}

/** Storage is locked, full, read-only or away. The request may succeed later. */
export class StorageUnavailableError extends Error {
  override readonly name = 'StorageUnavailableError';
}
