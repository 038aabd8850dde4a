import { setTimeout as sleep } from 'node:timers/promises';
import type { Kysely } from 'kysely';
import {
  type RetryCause,
  type Schema,
  StorageUnavailableError,
  UniqueViolationError,
  type WriteLock,
  type WriteTransaction,
} from './database.js';

interface PendingWork {
  readonly queuedAt: number;
  /** How often another transaction had taken its keys. */
  conflicts: number;
  /** Does the work and returns a function that settles its caller's promise after the commit. */
  run(transaction: WriteTransaction): Promise<() => void>;
  fail(error: unknown): void;
}

interface WorkQueue {
  readonly lock: WriteLock;
  readonly works: PendingWork[];
  end?: Promise<void>;
}

export interface GroupCommitOptions {
  /** Returns the queue of works with a lock: those of one queue run one after another, and share transactions. */
  readonly queueOf: (lock: WriteLock) => unknown;
  /** Takes the lock at the start of each transaction. */
  readonly takeLock?: (transaction: WriteTransaction, lock: WriteLock) => Promise<unknown>;
  /** Returns why a failed transaction may succeed when it is repeated; undefined if it would fail again. */
  readonly findRetryCause: (error: unknown) => RetryCause | undefined;
  /** How long a work is repeated. */
  readonly maxRetryMs: number;
  /** The longest pause before works are repeated. */
  readonly maxPauseMs: number;
  /** The number of transactions that run at once. */
  readonly concurrency: number;
}

// A larger group would block the event loop, and with it redirects, for too long.
export const maxGroupSize = 16;
const maxConflicts = 10;

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

type CommitHandler<Item> = (transaction: WriteTransaction, items: readonly Item[]) => Promise<void>;

const commitItems = new WeakMap<WriteTransaction, Map<CommitHandler<never>, unknown[]>>();

/**
 * Passes an item to `handle` before the transaction is committed, together with those that other works
 * of the transaction pass. For rows that are inserted by one statement, and that no later work reads.
 */
export function handleAtCommit<Item>(
  transaction: WriteTransaction,
  handle: CommitHandler<Item>,
  item: Item,
): void {
  const byHandler = commitItems.get(transaction) ?? new Map<CommitHandler<never>, unknown[]>();
  commitItems.set(transaction, byHandler);
  const items = byHandler.get(handle);
  if (items) items.push(item);
  else byHandler.set(handle, [item]);
}

/** Handles all items, also those that handlers pass. */
async function handleItems(transaction: WriteTransaction): Promise<void> {
  const byHandler = commitItems.get(transaction) ?? new Map<CommitHandler<never>, never[]>();
  for (const [handle, items] of byHandler) {
    byHandler.delete(handle);
    await handle(transaction, items as never[]);
  }
}

/**
 * Group commit: the writes of one queue that were requested within one turn of the event loop share a
 * transaction. In separate transactions, each would wait for the commit of the one before.
 *
 * Each write is still all or nothing: if one fails, the transaction is rolled back and each write runs
 * in a transaction of its own. Savepoints would isolate the writes, too, but with them SQLite copies
 * every page first. That costs as much as the commits that group commit saves. Callers get their
 * results after the commit.
 */
export class GroupCommit {
  /** The number of repeated transactions by cause. */
  readonly retries: Record<RetryCause, number> = { lock: 0, deadlock: 0, serialization: 0 };
  readonly #db: Kysely<Schema>;
  readonly #options: GroupCommitOptions;
  readonly #queues = new Map<unknown, WorkQueue>();
  #running = 0;
  /** Starts the transactions of queues that wait for the end of others. */
  readonly #waiting: (() => void)[] = [];

  constructor(db: Kysely<Schema>, options: GroupCommitOptions) {
    this.#db = db;
    this.#options = options;
  }

  write<T>(work: (transaction: WriteTransaction) => Promise<T>, lock: WriteLock): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const key = this.#options.queueOf(lock);
      const queue = this.#queues.get(key) ?? { lock, works: [] };
      queue.works.push({
        queuedAt: performance.now(),
        conflicts: 0,
        run: async (transaction) => {
          const result = await work(transaction);
          return () => resolve(result);
        },
        fail: reject,
      });
      if (this.#queues.has(key)) return;
      this.#queues.set(key, queue);
      queue.end = this.#run(key, queue);
    });
  }

  /** Resolves when no work is pending. */
  async finish(): Promise<void> {
    while (this.#queues.size > 0) {
      await Promise.all([...this.#queues.values()].map(({ end }) => end));
    }
  }

  /** Commits one group of a queue after another, until no work is left. */
  async #run(key: unknown, { lock, works }: WorkQueue): Promise<void> {
    for (;;) {
      // Until then, the other writes of this turn are in the queue.
      await new Promise<void>((resolve) => setImmediate(resolve));
      if (works.length === 0) break;
      if (this.#running < this.#options.concurrency) this.#running += 1;
      else await new Promise<void>((resolve) => this.#waiting.push(resolve));
      const repeated = await this.#commit(lock, works.splice(0, maxGroupSize));
      const startNext = this.#waiting.shift();
      if (startNext) startNext();
      else this.#running -= 1;
      if (repeated.length === 0) continue;
      // A random pause: transactions that met once then do not meet again.
      await sleep(Math.random() * this.#options.maxPauseMs);
      works.push(...repeated);
    }
    this.#queues.delete(key);
  }

  /** Runs works in a transaction, and returns those that are to be repeated. */
  async #commit(lock: WriteLock, group: readonly PendingWork[]): Promise<readonly PendingWork[]> {
    const settlers: (() => void)[] = [];
    let callbacks: Iterable<() => void> = [];
    let hasLock = false;
    try {
      await this.#db.transaction().execute(async (transaction) => {
        await this.#options.takeLock?.(transaction, lock);
        hasLock = true;
        for (const work of group) settlers.push(await work.run(transaction));
        await handleItems(transaction);
        callbacks = commitCallbacks.get(transaction) ?? [];
      });
    } catch (error) {
      const { findRetryCause, maxRetryMs } = this.#options;
      const cause = findRetryCause(error);
      if (cause !== undefined) this.retries[cause] += 1;
      const isUnavailable = cause === undefined && error instanceof StorageUnavailableError;
      const isOfOneWork = hasLock && !isUnavailable;
      if (isOfOneWork && group.length > 1) {
        const repeated: PendingWork[] = [];
        for (const work of group) repeated.push(...(await this.#commit(lock, [work])));
        return repeated;
      }
      return group.filter((work) => {
        // Another transaction has inserted the key. The work finds its row now, or selects another key.
        if (error instanceof UniqueViolationError) work.conflicts += 1;
        const mayRepeat = cause !== undefined || error instanceof UniqueViolationError;
        const isInTime = performance.now() - work.queuedAt < maxRetryMs;
        const isRepeated = mayRepeat && isInTime && work.conflicts <= maxConflicts;
        if (!isRepeated) work.fail(error);
        return isRepeated;
      });
    }
    for (const settle of settlers) settle();
    for (const callback of callbacks) callback();
    return [];
  }
}
