import { setTimeout as sleep } from 'node:timers/promises';
import type { Kysely } from 'kysely';
import { openFairQueue } from '../fair-queue.js';
import { yieldToEventLoop } from '../yield-to-event-loop.js';
import {
  type Database,
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
  /** Whether it runs in a transaction of its own: one that it shared has failed, or its lock excludes others. */
  isAlone: boolean;
  /** Does the work and returns a function that settles its caller's promise after the commit. */
  run(transaction: WriteTransaction): Promise<() => void>;
  fail(error: unknown): void;
}

export interface GroupCommitOptions {
  /** Works of one key run one after another, or share a transaction. */
  readonly keyOf: (lock: WriteLock) => unknown;
  /** Whether a work may share a transaction with others; by default true. */
  readonly isShared?: (lock: WriteLock) => boolean;
  /** Takes the locks of all works of a transaction at its start. */
  readonly takeLocks?: (transaction: WriteTransaction, locks: WriteLock[]) => Promise<unknown>;
  /** Returns whether a failed transaction may succeed when it is repeated. */
  readonly mayRepeat: (error: unknown) => boolean;
  readonly maxRetryMs: number;
  /** The longest pause before works are repeated. */
  readonly maxPauseMs: number;
  /** The number of transactions that run at once. */
  readonly concurrency: number;
  /** The most works of a transaction. */
  readonly maxGroupSize: number;
  /** The most turns of the event loop in which it waits for further works. */
  readonly maxTurns: number;
}

// Without a limit of its own, a conflict that each repetition has would never end for commands of the operator.
const maxConflictMs = 5_000;

type CommitHandler<Item> = (transaction: WriteTransaction, items: readonly Item[]) => Promise<void>;
type Stage = Map<CommitHandler<never>, unknown[]>;

/** What the works of a transaction left to its end. */
interface CommitHooks {
  readonly callbacks: Set<() => void>;
  /** Items by handler. The handlers of the first stage may pass items to others. */
  readonly stages: readonly [Stage, last: Stage];
}

const hooks = new WeakMap<WriteTransaction, CommitHooks>();

function hooksOf(transaction: WriteTransaction): CommitHooks {
  const own = hooks.get(transaction) ?? { callbacks: new Set(), stages: [new Map(), new Map()] };
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
  const stage = hooksOf(transaction).stages[isLast ? 1 : 0];
  const items = stage.get(handle);
  if (items) items.push(item);
  else stage.set(handle, [item]);
}

/**
 * Returns the write methods of a database. The writes of requests wait in queues before group commit, which
 * has those of at most two groups for each transaction that runs at once: the running one and the next. An
 * organization's part of them is small, so a backlog of one hardly delays another.
 *
 * Group commit: writes that were requested within `maxTurns` of the event loop share a transaction. In
 * separate transactions, each would wait for the commit of the one before.
 *
 * Each write is still all or nothing: if one fails, the transaction is rolled back, and each of its works
 * runs in a transaction of its own. Savepoints would isolate the writes, too, but with them SQLite copies
 * every page first. That costs as much as the commits that group commit saves. Callers get their results
 * after the commit.
 */
export function openWriter(db: Kysely<Schema>, options: GroupCommitOptions) {
  const { concurrency, maxGroupSize } = options;
  let pending: PendingWork[] = [];
  /** The keys of works that run, or that pause before they are repeated. */
  const heldKeys = new Set<unknown>();
  let running = 0;

  const writeDirectly: Database['writeDirectly'] = (work, lock = 'exclusive') =>
    new Promise((resolve, reject) => {
      pending.push({
        lock,
        key: options.keyOf(lock),
        queuedAt: performance.now(),
        isAlone: options.isShared?.(lock) === false,
        run: async (transaction) => {
          const result = await work(transaction);
          return () => resolve(result);
        },
        fail: reject,
      });
      start();
    });

  function start(): void {
    if (running === concurrency) return;
    running += 1;
    void run();
  }

  /** Runs one transaction after another, until all pending works have keys that are held. */
  async function run(): Promise<void> {
    for (;;) {
      await gather();
      const group = takeGroup();
      if (group.length === 0) break;
      void release(group, await commit(group));
    }
    running -= 1;
  }

  /**
   * Waits for the other writes of this turn of the event loop, and of some further ones while each brings more.
   * Requests that arrive together come here in different turns, and a commit costs as much as several of them.
   */
  async function gather(): Promise<void> {
    for (let turn = 0; turn < options.maxTurns; turn += 1) {
      const before = pending.length;
      await yieldToEventLoop();
      if (pending.length === before) return;
    }
  }

  function takeGroup(): PendingWork[] {
    // A work that runs alone would make those that share a transaction with a later one of its key wait.
    const alone = new Set(pending.flatMap(({ key, isAlone }) => (isAlone ? [key] : [])));
    const free = pending.filter(
      ({ key, isAlone }) => !heldKeys.has(key) && (isAlone || !alone.has(key)),
    );
    const group = free[0]?.isAlone ? [free[0]] : free.filter(({ isAlone }) => !isAlone);
    const taken = new Set(group.slice(0, maxGroupSize));
    pending = pending.filter((work) => !taken.has(work));
    for (const { key } of taken) heldKeys.add(key);
    return [...taken];
  }

  /** Lets further works of these keys run, after a pause if some of these are repeated. */
  async function release(
    group: readonly PendingWork[],
    { works, isPaused }: Repetition,
  ): Promise<void> {
    // A random pause: transactions that met once then do not meet again.
    if (isPaused) await sleep(Math.random() * options.maxPauseMs);
    pending.push(...works);
    for (const { key } of group) heldKeys.delete(key);
    if (pending.length > 0) start();
  }

  /** Runs works in a transaction. Returns those that are to be run again. */
  async function commit(group: readonly PendingWork[]): Promise<Repetition> {
    const settlers: (() => void)[] = [];
    let callbacks: Iterable<() => void> = [];
    let hasBegun = false;
    try {
      await db.transaction().execute(async (transaction) => {
        hasBegun = true;
        const locks = group.map(({ lock }) => lock);
        await options.takeLocks?.(transaction, locks);
        for (const work of group) settlers.push(await work.run(transaction));
        const own = hooksOf(transaction);
        for (const stage of own.stages) {
          for (const [handle, items] of stage) {
            stage.delete(handle);
            await handle(transaction, items as never[]);
          }
        }
        callbacks = own.callbacks;
      });
    } catch (error) {
      return afterFailure(group, hasBegun, error);
    }
    for (const settle of settlers) settle();
    for (const callback of callbacks) callback();
    return { works: [], isPaused: false };
  }

  function afterFailure(
    group: readonly PendingWork[],
    hasBegun: boolean,
    error: unknown,
  ): Repetition {
    // If another transaction has inserted a key, the work finds its row now, or selects another key.
    const isConflict = error instanceof UniqueViolationError;
    const mayRepeat = isConflict || options.mayRepeat(error);
    const isUnavailable = !mayRepeat && error instanceof StorageUnavailableError;
    // One that has waited for a lock in vain would make others wait for it, too.
    if (hasBegun) for (const work of group) work.isAlone = true;
    if (group.length > 1 && hasBegun && !isUnavailable) return { works: group, isPaused: false };
    const maxMs = isConflict ? maxConflictMs : options.maxRetryMs;
    const works = group.filter((work) => {
      if (mayRepeat && performance.now() - work.queuedAt < maxMs) return true;
      work.fail(error);
      return false;
    });
    return { works, isPaused: works.length > 0 };
  }

  const single = openFairQueue({
    name: 'writes',
    concurrency: 2 * concurrency * maxGroupSize,
    maxRunningPerOrganization: 16,
    maxWaiting: 2_048,
    maxWaitingPerOrganization: 256,
  });
  // Each takes longer than the rest of its group, and their request bodies are large.
  const bulk = openFairQueue({
    name: 'bulk writes',
    concurrency: 8 * concurrency,
    maxRunningPerOrganization: 4,
    maxWaiting: 128,
    maxWaitingPerOrganization: 32,
  });
  const write: Database['write'] = (organizationId, work, { isBulk } = {}) =>
    (isBulk ? bulk : single).run(organizationId, () => writeDirectly(work, { organizationId }));
  return {
    methods: { write, writeDirectly, writeQueues: [single, bulk] },
    /** Refuses waiting writes, and resolves when the others are done. */
    async close(): Promise<void> {
      single.close();
      bulk.close();
      while (pending.length + heldKeys.size > 0) await sleep(1);
    },
  };
}

/** The works to run again, at once or after a pause. */
interface Repetition {
  readonly works: readonly PendingWork[];
  readonly isPaused: boolean;
}
