import { setTimeout as sleep } from 'node:timers/promises';
import type { Kysely } from 'kysely';
import { FairQueue } from '../fair-queue.js';
import { yieldToEventLoop } from '../yield-to-event-loop.js';
import {
  type Database,
  type RetryCause,
  type Schema,
  StorageUnavailableError,
  UniqueViolationError,
  type WriteLock,
  type WriteTransaction,
} from './database.js';

interface PendingWork {
  readonly lock: WriteLock;
  readonly key: unknown;
  readonly queuedAt: number;
  /** The works with which it may share a transaction: any, those of its key, or none. */
  sharing: 'any' | 'key' | 'none';
  /** How often another transaction had taken its keys. */
  conflicts: number;
  /** Does the work and returns a function that settles its caller's promise after the commit. */
  run(transaction: WriteTransaction): Promise<() => void>;
  fail(error: unknown): void;
}

export interface GroupCommitOptions {
  /** Works of one key run one after another, or share a transaction. */
  readonly keyOf: (lock: WriteLock) => unknown;
  /** Whether a work may share a transaction with works of other keys. */
  readonly isShared?: (lock: WriteLock) => boolean;
  /** Takes the locks of all works of a transaction at its start. */
  readonly takeLocks?: (transaction: WriteTransaction, locks: WriteLock[]) => Promise<unknown>;
  /** Returns why a failed transaction may succeed when it is repeated; undefined if it would fail again. */
  readonly findRetryCause: (error: unknown) => RetryCause | undefined;
  readonly maxRetryMs: number;
  /** The longest pause before works are repeated. */
  readonly maxPauseMs: number;
  /** The number of transactions that run at once. */
  readonly concurrency: number;
  /** The most works of a transaction. */
  readonly maxGroupSize: number;
}

const maxConflicts = 10;

type CommitHandler<Item> = (transaction: WriteTransaction, items: readonly Item[]) => Promise<void>;

/** What the works of a transaction left to its end. */
class CommitHooks {
  readonly callbacks = new Set<() => void>();
  readonly items = new Map<CommitHandler<never>, unknown[]>();
  readonly lastItems = new Map<CommitHandler<never>, unknown[]>();

  /** Handles all items, also those that handlers pass to others. */
  async handleItems(transaction: WriteTransaction): Promise<void> {
    for (const stage of [this.items, this.lastItems]) {
      for (const [handle, items] of stage) {
        stage.delete(handle);
        await handle(transaction, items as never[]);
      }
    }
  }
}

const hooks = new WeakMap<WriteTransaction, CommitHooks>();

function hooksOf(transaction: WriteTransaction): CommitHooks {
  const own = hooks.get(transaction) ?? new CommitHooks();
  hooks.set(transaction, own);
  return own;
}

/**
 * Calls back once the transaction has been committed. A callback that is passed several times for a
 * transaction is called once.
 */
export function afterCommit(transaction: WriteTransaction, callback: () => void): void {
  hooksOf(transaction).callbacks.add(callback);
}

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
  const own = hooksOf(transaction);
  const stage = isLast ? own.lastItems : own.items;
  const items = stage.get(handle);
  if (items) items.push(item);
  else stage.set(handle, [item]);
}

/**
 * Group commit: writes that were requested within one turn of the event loop share a transaction. In
 * separate transactions, each would wait for the commit of the one before.
 *
 * Each write is still all or nothing: if one fails, the transaction is rolled back, and the works of
 * each key, then each work, run in transactions of their own. Savepoints would isolate the writes,
 * too, but with them SQLite copies every page first. That costs as much as the commits that group
 * commit saves. Callers get their results after the commit.
 */
export class GroupCommit {
  /** The number of repeated transactions by cause. */
  readonly retries: Record<RetryCause, number> = { lock: 0, deadlock: 0, serialization: 0 };
  readonly #db: Kysely<Schema>;
  readonly #options: GroupCommitOptions;
  #pending: PendingWork[] = [];
  /** The keys of works that run, or that pause before they are repeated. */
  readonly #heldKeys = new Set<unknown>();
  #running = 0;

  constructor(db: Kysely<Schema>, options: GroupCommitOptions) {
    this.#db = db;
    this.#options = options;
  }

  write<T>(work: (transaction: WriteTransaction) => Promise<T>, lock: WriteLock): Promise<T> {
    const { keyOf, isShared } = this.#options;
    return new Promise<T>((resolve, reject) => {
      this.#pending.push({
        lock,
        key: keyOf(lock),
        queuedAt: performance.now(),
        sharing: isShared?.(lock) ? 'any' : 'key',
        conflicts: 0,
        run: async (transaction) => {
          const result = await work(transaction);
          return () => resolve(result);
        },
        fail: reject,
      });
      this.#start();
    });
  }

  async finish(): Promise<void> {
    while (this.#pending.length + this.#heldKeys.size > 0) await sleep(1);
  }

  #start(): void {
    if (this.#running === this.#options.concurrency) return;
    this.#running += 1;
    void this.#run();
  }

  /** Runs one transaction after another, until all pending works have keys that are held. */
  async #run(): Promise<void> {
    for (;;) {
      await this.#gather();
      const group = this.#takeGroup();
      if (group.length === 0) break;
      const repeated = await this.#commit(group);
      void this.#release(group, repeated);
    }
    this.#running -= 1;
  }

  /**
   * Waits for the other writes of this turn of the event loop, and of the next ones as long as each brings more.
   * Requests that arrive together come here in different turns, and a commit costs as much as several of them.
   */
  async #gather(): Promise<void> {
    let before: number;
    do {
      before = this.#pending.length;
      await yieldToEventLoop();
    } while (before < this.#pending.length && this.#pending.length < this.#options.maxGroupSize);
  }

  #takeGroup(): PendingWork[] {
    const free = this.#pending.filter(({ key }) => !this.#heldKeys.has(key));
    const [first] = free;
    if (!first) return [];
    const group = free.filter((work) => work === first || mayShare(work, first));
    const taken = new Set(group.slice(0, this.#options.maxGroupSize));
    this.#pending = this.#pending.filter((work) => !taken.has(work));
    for (const { key } of taken) this.#heldKeys.add(key);
    return [...taken];
  }

  /** Lets further works of these keys run, after a pause if some of these are repeated. */
  async #release(group: readonly PendingWork[], { works, isPaused }: Repetition): Promise<void> {
    // A random pause: transactions that met once then do not meet again.
    if (isPaused) await sleep(Math.random() * this.#options.maxPauseMs);
    this.#pending.push(...works);
    const keys = new Set(group.map(({ key }) => key));
    for (const work of isPaused ? this.#pending : []) {
      // Works of other keys would wait for the same lock beside it.
      if (work.sharing === 'any' && keys.has(work.key)) work.sharing = 'key';
    }
    for (const key of keys) this.#heldKeys.delete(key);
    if (this.#pending.length > 0) this.#start();
  }

  /** Runs works in a transaction. Returns those that are to be run again. */
  async #commit(group: readonly PendingWork[]): Promise<Repetition> {
    const settlers: (() => void)[] = [];
    let callbacks: Iterable<() => void> = [];
    let hasLocks = false;
    try {
      await this.#db.transaction().execute(async (transaction) => {
        const locks = group.map(({ lock }) => lock);
        await this.#options.takeLocks?.(transaction, locks);
        hasLocks = true;
        for (const work of group) settlers.push(await work.run(transaction));
        const own = hooksOf(transaction);
        await own.handleItems(transaction);
        callbacks = own.callbacks;
      });
    } catch (error) {
      return this.#afterFailure(group, hasLocks, error);
    }
    for (const settle of settlers) settle();
    for (const callback of callbacks) callback();
    return { works: [], isPaused: false };
  }

  #afterFailure(group: readonly PendingWork[], hasLocks: boolean, error: unknown): Repetition {
    const { findRetryCause, maxRetryMs } = this.#options;
    const cause = findRetryCause(error);
    if (cause !== undefined) this.retries[cause] += 1;
    const isUnavailable = cause === undefined && error instanceof StorageUnavailableError;
    const isOfSeveralKeys = group.some(({ key }) => key !== group[0]?.key);
    // Works of one key wait for the same lock.
    const isDivided = isOfSeveralKeys || (hasLocks && group.length > 1);
    if (isDivided && !isUnavailable) {
      for (const work of group) work.sharing = isOfSeveralKeys ? 'key' : 'none';
      return { works: group, isPaused: false };
    }
    const isConflict = error instanceof UniqueViolationError;
    const works = group.filter((work) => {
      // Another transaction has inserted the key. The work finds its row now, or selects another key.
      if (isConflict) work.conflicts += 1;
      const isInTime = performance.now() - work.queuedAt < maxRetryMs;
      const mayRepeat = (cause !== undefined || isConflict) && work.conflicts <= maxConflicts;
      if (mayRepeat && isInTime) return true;
      work.fail(error);
      return false;
    });
    return { works, isPaused: works.length > 0 };
  }
}

/** The works to run again, at once or after a pause. */
interface Repetition {
  readonly works: readonly PendingWork[];
  readonly isPaused: boolean;
}

function mayShare(one: PendingWork, other: PendingWork): boolean {
  if (one.sharing !== other.sharing || one.sharing === 'none') return false;
  return one.sharing === 'any' || one.key === other.key;
}

/**
 * Returns the write methods of a database. The writes of requests wait in queues before group commit, which
 * has those of at most two groups for each transaction that runs at once: the running one and the next. An
 * organization's part of them is small, so a backlog of one hardly delays another.
 *
 * Bulk writes have their own queue, because each takes longer than the rest of its group, and because
 * their request bodies are large.
 */
export function openWriter(db: Kysely<Schema>, options: GroupCommitOptions) {
  const commits = new GroupCommit(db, options);
  const single = new FairQueue({
    name: 'writes',
    concurrency: 2 * options.concurrency * options.maxGroupSize,
    maxRunningPerOrganization: 16,
    maxWaiting: 2_048,
    maxWaitingPerOrganization: 256,
  });
  const bulk = new FairQueue({
    name: 'bulk writes',
    concurrency: 8 * options.concurrency,
    maxRunningPerOrganization: 4,
    maxWaiting: 128,
    maxWaitingPerOrganization: 32,
  });
  const write: Database['write'] = (organizationId, work, { isBulk } = {}) =>
    (isBulk ? bulk : single).run(organizationId, () => commits.write(work, { organizationId }));
  const writeDirectly: Database['writeDirectly'] = (work, lock = 'exclusive') =>
    commits.write(work, lock);
  return {
    methods: { write, writeDirectly, writeQueues: [single, bulk], retries: commits.retries },
    /** Refuses waiting writes, and resolves when the others are done. */
    async close(): Promise<void> {
      single.close();
      bulk.close();
      await commits.finish();
    },
  };
}
