import type { Kysely, Transaction } from 'kysely';
import type { FairQueue } from '../fair-queue.js';
import type { Keyring } from './keyring.js';
import type { Engine, Schema } from './schema.js';

export type { Engine, Schema } from './schema.js';
export type WriteTransaction = Transaction<Schema>;

export interface StorageOptions {
  readonly databaseUrl: string;
  /** SQLite: 'power' syncs each commit to the disk; 'process' leaves that to the operating system. */
  readonly durability: 'process' | 'power';
  /** SQLite: leaves checkpoints to another handle, whose `maintain` is called. */
  readonly withoutCheckpoints?: boolean | undefined;
  /** PostgreSQL: the connection limit; 4 by default. */
  readonly databaseConnections?: number | undefined;
  /** PostgreSQL: removes the time limit of statements, for operator commands. */
  readonly withoutTimeout?: boolean | undefined;
  /** Whether links of the platform's domain are found in any case, for which `migrate` folds their keys. */
  readonly ignoreCase?: boolean | undefined;
  /** The keys of `keyring`. `unlockSecrets` sets those of a server's main thread. */
  readonly secretKeys?: readonly string[] | undefined;
}

export interface Database {
  readonly engine: Engine;
  readonly keyring: Keyring;
  /** Runs reads outside a transaction. They never wait for a writer. */
  readonly read: Kysely<Schema>;
  /** Runs reads in one snapshot, which concurrent writes do not change. */
  snapshot<T>(work: (db: Kysely<Schema>) => Promise<T>): Promise<T>;
  /** The number of lists that may be read at once, and also the number of searches. */
  readonly maxConcurrentLists: number;
  /**
   * Runs the work of a request in a transaction that holds the lock of its organization, or of the
   * operator, and commits it. Waits in a queue that is fair across organizations. Throws a QueueFullError.
   */
  write<T>(
    organizationId: string,
    work: (transaction: WriteTransaction) => Promise<T>,
    options?: { /** True for a write of several records. */ readonly isBulk?: boolean },
  ): Promise<T>;
  /**
   * Runs the server's own work in a transaction that holds the lock, 'exclusive' by default, without
   * waiting in the queue of requests.
   *
   * If `work` throws, the transaction is rolled back. Several works may share a transaction, so any of
   * them may be rolled back and run again. It must have no effects outside the transaction.
   */
  writeDirectly<T>(
    work: (transaction: WriteTransaction) => Promise<T>,
    lock?: WriteLock,
  ): Promise<T>;
  readonly writeQueues: readonly FairQueue[];
  /**
   * Tells of the changes of other nodes, until the returned function is called. Undefined for an engine
   * that has only one node.
   */
  readonly watchChanges: ((listener: ChangeListener) => Promise<() => Promise<void>>) | undefined;
  /** Applies the missing migrations and returns their names. */
  migrate(): Promise<string[]>;
  /**
   * Returns why the database does not have the tables of this version, and what to do; undefined if
   * it has them. Changes nothing.
   */
  findVersionProblem(): Promise<string | undefined>;
  /**
   * Reserves a database file for this server until `close`. Throws a ConfigError that names the
   * server which has reserved it.
   */
  lockForServer(now: number): void;
  /**
   * Returns the secret key that a server generated. Stores `fresh` if there is none; concurrent first
   * calls all return the same key. Without `fresh`, returns undefined if there is none.
   */
  loadKey<Fresh extends string | undefined>(fresh: Fresh): Promise<string | Fresh>;
  /** Runs a checkpoint if one is due, on a thread that does not serve redirects. Undefined on PostgreSQL. */
  readonly maintain: (() => void) | undefined;
  /** Returns the size on this machine's disk; undefined for a database server. */
  size():
    | { readonly dataBytes: number /** The write-ahead log. */; readonly logBytes: number }
    | undefined;
  close(): Promise<void>;
}

/** The owner of what no organization owns. No organization has this id, because it is no UUID. */
export const operatorOwner = 'operator';

/**
 * The lock that a write transaction holds until its commit, on all nodes. SQLite runs all write
 * transactions one after another.
 *
 * - `{ organizationId }`: the records of an organization, by the lock of its row.
 * - 'rows': no lock but those of the changed rows.
 * - 'exclusive': excludes all other write transactions.
 */
export type WriteLock = { readonly organizationId: string } | 'rows' | 'exclusive';

/** `policy` has one record: what affects any number of links. */
export type RecordKind = 'urls' | 'organizations' | 'pictures' | 'hosts' | 'policy';

export interface ChangeListener {
  /** A record was changed. The key is its id or hostname. */
  onChange(kind: RecordKind, key: string): void;
  /** Changes were missed. */
  onMissed(): void;
  /** Changes may be missing, because they cannot be read. Storage may be unavailable. */
  onSilence(): void;
  /** Called for the first of consecutive errors with the same message. */
  onError(error: unknown): void;
}

export type Value = string | number | Uint8Array | null;

export class UniqueViolationError extends Error {
  override readonly name = 'UniqueViolationError';
}

/** Storage is locked, full, read-only or unreachable. A retry may succeed. */
export class StorageUnavailableError extends Error {
  override readonly name = 'StorageUnavailableError';
}
