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

/** Works that run one after another. */
interface WorkQueue {
  readonly key: unknown;
  readonly lock: WriteLock;
  works: PendingWork[];
  /** Its works shall be repeated, in transactions of their own. */
  isRepeated: boolean;
}

/** Works of one queue in a transaction. */
interface Group {
  readonly queue: WorkQueue;
  readonly works: readonly PendingWork[];
}

export interface GroupCommitOptions {
  /** Returns the queue of works with a lock: those of one queue run one after another, and share transactions. */
  readonly queueOf: (lock: WriteLock) => unknown;
  /** Whether works of a queue may share a transaction with works of other queues. */
  readonly isShared?: (lock: WriteLock) => boolean;
  /** Takes the locks of all queues of a transaction at its start. */
  readonly takeLocks?: (transaction: WriteTransaction, locks: WriteLock[]) => Promise<unknown>;
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
const lastHandlers = new WeakSet<CommitHandler<never>>();

/**
 * Passes an item to `handle` before the transaction is committed, together with those that other works
 * of the transaction pass. For rows that are inserted by one statement, and that no later work reads.
 * `isLast`: after all other handlers, and so once.
 */
export function handleAtCommit<Item>(
  transaction: WriteTransaction,
  handle: CommitHandler<Item>,
  item: Item,
  { isLast = false }: { readonly isLast?: boolean } = {},
): void {
  if (isLast) lastHandlers.add(handle);
  const byHandler = commitItems.get(transaction) ?? new Map<CommitHandler<never>, unknown[]>();
  commitItems.set(transaction, byHandler);
  const items = byHandler.get(handle);
  if (items) items.push(item);
  else byHandler.set(handle, [item]);
}

/** Handles all items, also those that handlers pass. */
async function handleItems(transaction: WriteTransaction): Promise<void> {
  const byHandler = commitItems.get(transaction) ?? new Map<CommitHandler<never>, never[]>();
  while (byHandler.size > 0) {
    const handlers = [...byHandler.keys()];
    const handle = handlers.find((each) => !lastHandlers.has(each)) ?? handlers[0];
    const items = handle && byHandler.get(handle);
    if (!items) return;
    byHandler.delete(handle);
    await handle(transaction, items as never[]);
  }
}

/**
 * Group commit: writes that were requested within one turn of the event loop share a transaction. In
 * separate transactions, each would wait for the commit of the one before.
 *
 * Each write is still all or nothing: if one fails, the transaction is rolled back, and the works of
 * each queue, then each work, run in transactions of their own. Savepoints would isolate the writes,
 * too, but with them SQLite copies every page first. That costs as much as the commits that group
 * commit saves. Callers get their results after the commit.
 */
export class GroupCommit {
  /** The number of repeated transactions by cause. */
  readonly retries: Record<RetryCause, number> = { lock: 0, deadlock: 0, serialization: 0 };
  readonly #db: Kysely<Schema>;
  readonly #options: GroupCommitOptions;
  readonly #queues = new Map<unknown, WorkQueue>();
  /** Queues with works, none of which runs. */
  readonly #ready: WorkQueue[] = [];
  #running = 0;

  constructor(db: Kysely<Schema>, options: GroupCommitOptions) {
    this.#db = db;
    this.#options = options;
  }

  write<T>(work: (transaction: WriteTransaction) => Promise<T>, lock: WriteLock): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const pending: PendingWork = {
        queuedAt: performance.now(),
        conflicts: 0,
        run: async (transaction) => {
          const result = await work(transaction);
          return () => resolve(result);
        },
        fail: reject,
      };
      const key = this.#options.queueOf(lock);
      const queue = this.#queues.get(key);
      if (queue) {
        queue.works.push(pending);
        return;
      }
      const added = { key, lock, works: [pending], isRepeated: false };
      this.#queues.set(key, added);
      this.#makeReady(added);
    });
  }

  /** Resolves when no work is pending. */
  async finish(): Promise<void> {
    while (this.#queues.size > 0) await sleep(1);
  }

  #makeReady(queue: WorkQueue): void {
    this.#ready.push(queue);
    if (this.#running === this.#options.concurrency) return;
    this.#running += 1;
    void this.#run();
  }

  /** Runs one transaction after another, until no queue is ready. */
  async #run(): Promise<void> {
    for (;;) {
      // Until then, the other writes of this turn are in their queues.
      await new Promise<void>((resolve) => setImmediate(resolve));
      const groups = this.#takeGroups();
      if (groups.length === 0) break;
      const repeated = new Set(await this.#commit(groups));
      for (const { queue, works } of groups) {
        const again = works.filter((work) => repeated.has(work));
        void this.#continue(queue, again);
      }
    }
    this.#running -= 1;
  }

  /** Takes the works of the next transaction out of their queues. */
  #takeGroups(): Group[] {
    const { isShared = () => false } = this.#options;
    const isAlone = ({ lock, isRepeated }: WorkQueue) => isRepeated || !isShared(lock);
    const groups: Group[] = [];
    let free = maxGroupSize;
    for (;;) {
      const [queue] = this.#ready;
      if (queue === undefined || free === 0) return groups;
      if (groups.length > 0 && isAlone(queue)) return groups;
      this.#ready.shift();
      const works = queue.works.splice(0, free);
      groups.push({ queue, works });
      free = isAlone(queue) ? 0 : free - works.length;
    }
  }

  /** Makes a queue ready again after a transaction of its works, with those to repeat. */
  async #continue(queue: WorkQueue, repeated: readonly PendingWork[]): Promise<void> {
    queue.isRepeated = repeated.length > 0;
    if (queue.isRepeated) {
      // A random pause: transactions that met once then do not meet again.
      await sleep(Math.random() * this.#options.maxPauseMs);
      queue.works.push(...repeated);
    }
    if (queue.works.length > 0) this.#makeReady(queue);
    else this.#queues.delete(queue.key);
  }

  /** Runs works in a transaction, and returns those that are to be repeated. */
  async #commit(groups: readonly Group[]): Promise<readonly PendingWork[]> {
    const works = groups.flatMap((group) => group.works);
    const settlers: (() => void)[] = [];
    let callbacks: Iterable<() => void> = [];
    let hasLocks = false;
    try {
      await this.#db.transaction().execute(async (transaction) => {
        await this.#options.takeLocks?.(
          transaction,
          groups.map(({ queue }) => queue.lock),
        );
        hasLocks = true;
        for (const work of works) settlers.push(await work.run(transaction));
        await handleItems(transaction);
        callbacks = commitCallbacks.get(transaction) ?? [];
      });
    } catch (error) {
      return this.#afterFailure(groups, hasLocks, error);
    }
    for (const settle of settlers) settle();
    for (const callback of callbacks) callback();
    return [];
  }

  /** Runs each part of a failed transaction by itself. Returns the works that are to be repeated. */
  async #afterFailure(
    groups: readonly Group[],
    hasLocks: boolean,
    error: unknown,
  ): Promise<readonly PendingWork[]> {
    const { findRetryCause, maxRetryMs } = this.#options;
    const cause = findRetryCause(error);
    if (cause !== undefined) this.retries[cause] += 1;
    const isUnavailable = cause === undefined && error instanceof StorageUnavailableError;
    const parts = groups.length > 1 || !hasLocks ? groups : groups.flatMap(divide);
    if (!isUnavailable && parts.length > 1) {
      const repeated: PendingWork[] = [];
      for (const part of parts) repeated.push(...(await this.#commit([part])));
      return repeated;
    }
    const isConflict = error instanceof UniqueViolationError;
    return groups
      .flatMap(({ works }) => works)
      .filter((work) => {
        // Another transaction has inserted the key. The work finds its row now, or selects another key.
        if (isConflict) work.conflicts += 1;
        const isInTime = performance.now() - work.queuedAt < maxRetryMs;
        const mayRepeat = (cause !== undefined || isConflict) && work.conflicts <= maxConflicts;
        if (mayRepeat && isInTime) return true;
        work.fail(error);
        return false;
      });
  }
}

function divide({ queue, works }: Group): Group[] {
  return works.map((work) => ({ queue, works: [work] }));
}
