import { setTimeout as sleep } from 'node:timers/promises';
import type { Kysely } from 'kysely';
import {
  type RetryCause,
  type Schema,
  StorageUnavailableError,
  UniqueViolationError,
  WriteRejectedError,
  type WriteTransaction,
} from './database.js';

interface PendingWork {
  readonly organizationId: string | undefined;
  readonly queuedAt: number;
  /** Does the work and returns a function that settles its caller's promise after the commit. */
  run(transaction: WriteTransaction): Promise<() => void>;
  fail(error: unknown): void;
}

export interface GroupCommitOptions {
  /**
   * Runs at the start of each transaction and takes its locks, with the organizations of its works.
   * Returns those whose lock it did not get.
   */
  readonly begin?: (
    transaction: WriteTransaction,
    organizationIds: readonly string[],
  ) => Promise<readonly string[]>;
  /**
   * Returns why a failed transaction may succeed when it is repeated; undefined if it would fail again.
   * Works that fail because of a lock are repeated until `lockTimeoutMs` have passed.
   */
  readonly findRetryCause?: (error: unknown) => RetryCause | undefined;
  readonly lockTimeoutMs?: number;
  readonly onRetry?: (cause: RetryCause) => void;
  /** The number of transactions that run at once; 1 by default. An organization has one of them. */
  readonly concurrency?: number;
}

/** The number of repeated transactions by cause, at the start. */
export const noRetries: Readonly<Record<RetryCause, number>> = {
  lock: 0,
  deadlock: 0,
  serialization: 0,
};

const maxRetries = 10;
// The longest pause before a transaction is repeated.
const maxPauseMs = 100;

// While storage does not respond, each group fails only after its time limit, and limits would add up.
// Works that have been pending for this long fail with the group before them.
const maxPendingMs = 3_000;

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
 *
 * Works of several organizations share a transaction, but do not wait for each other's locks. While a
 * work waits for a lock, its organization is blocked: it has transactions of its own, and one of the
 * concurrent transactions is reserved for the others.
 */
export class GroupCommit {
  readonly #db: Kysely<Schema>;
  readonly #options: GroupCommitOptions;
  readonly #concurrency: number;
  #pending: PendingWork[] = [];
  readonly #lanes = new Set<Promise<void>>();
  #running = 0;
  /** Works that wait before they are pending again. */
  readonly #paused = new Set<Promise<void>>();
  /** The organizations of running transactions. */
  readonly #busy = new Set<string>();
  /** Unfinished works that have waited for a lock. Their organizations are blocked. */
  readonly #repeated = new Set<PendingWork>();

  constructor(db: Kysely<Schema>, options: GroupCommitOptions = {}) {
    this.#db = db;
    this.#options = options;
    this.#concurrency = options.concurrency ?? 1;
  }

  /** `organizationId` is the only organization whose records the work changes, if there is only one. */
  write<T>(
    work: (transaction: WriteTransaction) => Promise<T>,
    organizationId?: string,
  ): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#pending.push({
        organizationId,
        queuedAt: performance.now(),
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
      this.#startLane();
    });
  }

  /** Resolves when no work is pending. */
  async finish(): Promise<void> {
    while (this.#lanes.size + this.#paused.size > 0) {
      await Promise.all([...this.#lanes, ...this.#paused]);
    }
  }

  #startLane(): void {
    if (this.#running >= this.#concurrency) return;
    this.#running += 1;
    const lane = this.#runLane().finally(() => this.#lanes.delete(lane));
    this.#lanes.add(lane);
  }

  /** Commits one group after another until no work is left that may start. */
  async #runLane(): Promise<void> {
    for (;;) {
      await new Promise<void>((resolve) => setImmediate(resolve));
      const group = this.#takeGroup();
      if (group.length === 0) {
        // In the same turn, so that no later work finds a lane that has ended.
        this.#running -= 1;
        return;
      }
      const organizationIds = idsOf(group);
      for (const id of organizationIds) this.#busy.add(id);
      await this.#commit(group);
      for (const id of organizationIds) this.#busy.delete(id);
    }
  }

  /** Removes the next group from the pending works: of one blocked organization, or of others. */
  #takeGroup(): PendingWork[] {
    const blocked = new Set(idsOf([...this.#repeated]));
    const isBlocked = (work: PendingWork) => isOf(work, blocked);
    const mayStart = this.#pending.filter((work) => !isOf(work, this.#busy));
    const running = [...blocked].filter((id) => this.#busy.has(id)).length;
    const hasRoom = running < Math.max(1, this.#concurrency - 1);
    const first = mayStart.find((work) => hasRoom || !isBlocked(work));
    if (!first) return [];
    // Other works of a blocked organization may have nothing to wait for.
    const isRepeated = this.#repeated.has(first);
    const mates = isBlocked(first)
      ? mayStart.filter(
          (work) =>
            work.organizationId === first.organizationId && this.#repeated.has(work) === isRepeated,
        )
      : mayStart.filter((work) => !isBlocked(work));
    const group = new Set(mates.slice(0, maxGroupSize));
    this.#pending = this.#pending.filter((work) => !group.has(work));
    return [...group];
  }

  async #commit(group: readonly PendingWork[], retries = 0): Promise<void> {
    const { begin, findRetryCause, onRetry } = this.#options;
    const organizationIds = idsOf(group);
    let blockedIds: ReadonlySet<string> = new Set();
    let current: PendingWork | undefined;
    let isHandling = false;
    const settlers: (() => void)[] = [];
    let callbacks: Iterable<() => void> = [];
    try {
      await this.#db.transaction().execute(async (transaction) => {
        blockedIds = new Set(await begin?.(transaction, organizationIds));
        for (const work of group) {
          if (isOf(work, blockedIds)) continue;
          current = work;
          settlers.push(await work.run(transaction));
        }
        isHandling = true;
        await handleItems(transaction);
        callbacks = commitCallbacks.get(transaction) ?? [];
      });
    } catch (error) {
      const cause = findRetryCause?.(error);
      if (cause !== undefined) onRetry?.(cause);
      const isOfServer = current !== undefined && organizationIds.length === 0;
      if (cause === 'lock' && (isHandling || isOfServer) && group.length > 1) {
        // The items of any work may have waited, or works of the server that do not belong together.
        for (const work of group) await this.#commit([work]);
        return;
      }
      if (cause === 'lock') {
        // Without a current work, it waited for a lock that excludes all organizations, or the only one.
        const isOwn = current === undefined && organizationIds.length <= 1;
        for (const work of group) this.#repeat(work, isOwn || work === current, error);
        return;
      }
      if (cause !== undefined && retries < maxRetries) {
        await sleep(pauseMs(retries));
        return this.#commit(group, retries + 1);
      }
      // Another transaction has inserted the key. The work finds its row now, or selects another key.
      const isTaken = error instanceof UniqueViolationError && group.length === 1;
      if (isTaken && retries < maxRetries) return this.#commit(group, retries + 1);
      if (error instanceof StorageUnavailableError) {
        for (const work of [...group, ...this.#takeOverdue()]) this.#fail(work, error);
      } else if (group.length === 1) this.#fail(group[0] as PendingWork, error);
      // One work failed and rolled back all of them: each runs again in its own transaction.
      else for (const work of group) await this.#commit([work]);
      return;
    }
    for (const work of group) {
      if (isOf(work, blockedIds)) this.#repeat(work, true);
      else this.#repeated.delete(work);
    }
    for (const settle of settlers) settle();
    for (const callback of callbacks) callback();
  }

  /** Removes the pending works that have waited too long to wait for the failure of another group. */
  #takeOverdue(): PendingWork[] {
    const overdue = this.#pending.filter(
      ({ queuedAt }) => performance.now() - queuedAt > maxPendingMs,
    );
    this.#pending = this.#pending.filter((work) => !overdue.includes(work));
    return overdue;
  }

  /** Runs a work again, after a pause if it has waited for a lock of its organization. */
  #repeat(work: PendingWork, hasWaited: boolean, error?: unknown): void {
    const { lockTimeoutMs = 0 } = this.#options;
    if (error !== undefined && performance.now() - work.queuedAt > lockTimeoutMs) {
      this.#fail(work, error);
      return;
    }
    if (!hasWaited) {
      this.#pending.unshift(work);
      return;
    }
    this.#repeated.add(work);
    const pause = sleep(pauseMs(maxRetries)).then(() => {
      this.#pending.push(work);
      this.#paused.delete(pause);
      this.#startLane();
    });
    this.#paused.add(pause);
  }

  #fail(work: PendingWork, error: unknown): void {
    this.#repeated.delete(work);
    work.fail(error);
  }
}

/** Returns a random pause. Transactions that met once then do not meet again. */
function pauseMs(retries: number): number {
  return Math.random() * Math.min(maxPauseMs, 5 * 2 ** retries);
}

function isOf({ organizationId }: PendingWork, ids: ReadonlySet<string>): boolean {
  return organizationId !== undefined && ids.has(organizationId);
}

/** Returns the organizations of works. */
function idsOf(works: readonly PendingWork[]): string[] {
  const ids = works.flatMap(({ organizationId }) => organizationId ?? []);
  return [...new Set(ids)];
}
