import type { Insertable, Kysely } from 'kysely';
import {
  type BulkInsert,
  type Schema,
  StorageUnavailableError,
  WriteRejectedError,
  type WriteTransaction,
} from './database.js';

interface PendingWork {
  /** Does the work and returns a function that settles its caller's promise after the commit. */
  run(transaction: WriteTransaction): Promise<() => void>;
  fail(error: unknown): void;
}

const maxRetries = 10;

const commitCallbacks = new WeakMap<WriteTransaction, Set<() => void>>();

/**
 * Calls back once the transaction has been committed. A callback that is passed several times for a
 * transaction is called once.
 */
export function afterCommit(transaction: WriteTransaction, callback: () => void): void {
  const callbacks = commitCallbacks.get(transaction);
  if (callbacks) callbacks.add(callback);
  else commitCallbacks.set(transaction, new Set([callback]));
}

type AuditRow = Insertable<Schema['audit_log']>;

const auditRows = new WeakMap<WriteTransaction, AuditRow[]>();

/** Inserts a row of the audit log before the commit, by one statement with those of the other works. */
export function insertAtCommit(transaction: WriteTransaction, row: AuditRow): void {
  const rows = auditRows.get(transaction);
  if (rows) rows.push(row);
  else auditRows.set(transaction, [row]);
}

// A larger group would block the event loop, and with it redirects, for too long.
export const maxGroupSize = 16;

/**
 * Group commit: the writes that were requested within one turn of the event loop share a
 * transaction. In separate transactions, each would wait for the commit of the one before.
 *
 * Each write is still all or nothing: if one fails, the transaction is rolled back and each write runs
 * in a transaction of its own. Savepoints would isolate the writes, too, but with them SQLite copies
 * every page first. That costs as much as the commits that group commit saves. Callers get their
 * results after the commit.
 */
export class GroupCommit {
  readonly #db: Kysely<Schema>;
  readonly #bulkInsert: BulkInsert;
  readonly #begin: (transaction: WriteTransaction) => Promise<void>;
  readonly #isRetryable: (error: unknown) => boolean;
  #pending: PendingWork[] = [];
  #running: Promise<void> | undefined;

  /**
   * @param begin runs at the start of each transaction
   * @param isRetryable returns true if a transaction that failed with this error can be retried at once
   */
  constructor(
    db: Kysely<Schema>,
    bulkInsert: BulkInsert,
    begin: (transaction: WriteTransaction) => Promise<void> = async () => {},
    isRetryable: (error: unknown) => boolean = () => false,
  ) {
    this.#db = db;
    this.#bulkInsert = bulkInsert;
    this.#begin = begin;
    this.#isRetryable = isRetryable;
  }

  write<T>(work: (transaction: WriteTransaction) => Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#pending.push({
        run: async (transaction) => {
          try {
            const result = await work(transaction);
            return () => resolve(result);
          } catch (error) {
            if (error instanceof WriteRejectedError) return () => reject(error);
            throw error;
          }
        },
        fail: reject,
      });
      this.#running ??= this.#drain();
    });
  }

  /** Resolves when no work is pending. */
  async finish(): Promise<void> {
    await this.#running;
  }

  async #drain(): Promise<void> {
    while (this.#pending.length > 0) {
      await new Promise<void>((resolve) => setImmediate(resolve));
      await this.#commit(this.#pending.splice(0, maxGroupSize));
    }
    this.#running = undefined;
  }

  async #commit(group: readonly PendingWork[], retries = 0): Promise<void> {
    const settlers: (() => void)[] = [];
    let callbacks: Iterable<() => void> = [];
    try {
      await this.#db.transaction().execute(async (transaction) => {
        await this.#begin(transaction);
        for (const work of group) settlers.push(await work.run(transaction));
        await this.#bulkInsert(transaction, 'audit_log', auditRows.get(transaction) ?? []);
        callbacks = commitCallbacks.get(transaction) ?? [];
      });
    } catch (error) {
      if (this.#isRetryable(error) && retries < maxRetries) {
        return this.#commit(group, retries + 1);
      }
      if (error instanceof StorageUnavailableError) {
        // Pending work fails as well: the timeouts of several groups would add up.
        for (const work of [...group, ...this.#pending.splice(0)]) work.fail(error);
      } else if (group.length === 1) group[0]?.fail(error);
      // One work failed and rolled back all of them: each runs again in its own transaction.
      else for (const work of group) await this.#commit([work]);
      return;
    }
    for (const settle of settlers) settle();
    for (const callback of callbacks) callback();
  }
}
