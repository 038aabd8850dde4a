import { refuseUnknown, requireOption } from './options.js';

/** The result of a claim: the id was free and is now claimed, its work is running, or it is done. */
export type DedupeState = 'claimed' | 'running' | 'done';

/**
 * Stores the state of ids. A store that several processes share must claim in one atomic step. The
 * examples in the repository have stores for SQLite, PostgreSQL and Redis.
 */
export interface DedupeStore {
  /** Marks an unknown or expired id as running for `leaseMs` milliseconds, or returns its state. */
  claim(id: string, leaseMs: number): DedupeState | Promise<DedupeState>;
  /** Marks a claimed id as done for `ttlMs` milliseconds. */
  finish(id: string, ttlMs: number): void | Promise<void>;
  /**
   * Deletes an id whose work has failed, but only the own claim: after the lease, another process may
   * have claimed it.
   */
  release(id: string): void | Promise<void>;
}

/** Options of `createDeduper`. */
export interface DedupeOptions {
  /** Milliseconds that a finished id is stored. Default 48 h, because retries take 31.2 h with the default schedule. */
  readonly ttlMs?: number | undefined;
  /** The most ids in the memory store, which evicts the oldest. Default 10,000. */
  readonly max?: number | undefined;
  /** Milliseconds after which work may run again if its process was killed. Default 60,000. */
  readonly leaseMs?: number | undefined;
  /** Default: the memory of this process. */
  readonly store?: DedupeStore | undefined;
  /** The clock of the memory store, in milliseconds since 1970. Default `Date.now`. */
  readonly now?: (() => number) | undefined;
}

/**
 * The error of `once` while another process runs the work of an id. `statusCode` and `headers` are the
 * response to send, which Express and Fastify do by themselves: the sender then delivers again.
 */
export class DeliveryInProgressError extends Error {
  override name = 'DeliveryInProgressError';
  readonly code = 'delivery_in_progress';
  readonly statusCode = 503;
  /** The claim of the other process ends after these seconds, at the latest. */
  readonly headers: { readonly 'retry-after': string };

  constructor(id: string, leaseMs: number) {
    super(`${id}: another process runs its work; retry later`);
    this.headers = { 'retry-after': `${Math.ceil(leaseMs / 1000)}` };
  }
}

/** Runs work once for each id. */
export interface Deduper {
  /**
   * Runs the work unless it is done for this id. Resolves to true if it ran. If this process already
   * runs work for the id, waits for it, and rejects if it fails, so that the sender retries. Rejects
   * with DeliveryInProgressError while another process runs work for the id, and with a TypeError
   * without an id.
   */
  once(id: string, work: () => unknown): Promise<boolean>;
}

/**
 * Returns whether a newer event of the same record was handled before. Events can arrive in any order:
 * store `createdAt` of the last handled event with your copy of the record, and skip stale events.
 * An event of the same millisecond is not stale.
 *
 * @throws {TypeError} if `lastSeen` is not a time
 */
export function isStale(
  { createdAt }: { readonly createdAt: string },
  lastSeen: Date | string | null | undefined,
): boolean {
  // No event is older than 1970.
  const seen = new Date(lastSeen ?? 0).getTime();
  if (Number.isNaN(seen)) throw new TypeError(`lastSeen ${lastSeen}: must be a time`);
  return Date.parse(createdAt) < seen;
}

/** Stores finished ids only, because `once` waits for work that runs in this process. */
function memoryStore(max: number, now: () => number): DedupeStore {
  const expiries = new Map<string, number>();
  return {
    claim: (id) => ((expiries.get(id) ?? 0) > now() ? 'done' : 'claimed'),
    finish(id, ttlMs) {
      // A map iterates in the order of insertion. Deleting first moves the id to the end.
      expiries.delete(id);
      expiries.set(id, now() + ttlMs);
      for (const [oldest, expiry] of expiries) {
        if (expiries.size <= max && expiry > now()) break;
        expiries.delete(oldest);
      }
    },
    release() {},
  };
}

/**
 * Creates a deduper, which runs work once for each id. Shorty delivers at least once, so a delivery
 * can arrive again. Use the delivery id, which is the same in every attempt. A replay that you request
 * is a new delivery of the same event, so its work runs again.
 *
 * @throws {TypeError} if an option is invalid
 */
export function createDeduper(options: DedupeOptions = {}): Deduper {
  refuseUnknown(options, ['ttlMs', 'max', 'leaseMs', 'store', 'now']);
  const { ttlMs = 172_800_000, max = 10_000, leaseMs = 60_000, now = Date.now } = options;
  for (const [name, value] of Object.entries({ ttlMs, max, leaseMs })) {
    requireOption(typeof value === 'number' && value > 0, name, value, 'a number above 0');
  }
  requireOption(typeof now === 'function', 'now', now, 'a function');
  const { store = memoryStore(max, now) } = options;
  const methods = [store?.claim, store?.finish, store?.release];
  const isStore = methods.every((method) => typeof method === 'function');
  requireOption(isStore, 'store', store, 'an object with claim, finish and release');
  const running = new Map<string, Promise<boolean>>();

  async function run(id: string, work: () => unknown): Promise<boolean> {
    const state = await store.claim(id, leaseMs);
    if (state === 'running') throw new DeliveryInProgressError(id, leaseMs);
    if (state === 'done') return false;
    try {
      await work();
    } catch (error) {
      try {
        await store.release(id);
      } catch {
        // The claim ends with its lease, and the error of the work matters more.
      }
      throw error;
    }
    await store.finish(id, ttlMs);
    return true;
  }

  return {
    async once(id, work) {
      // Without an id, every further delivery would be a repeat of the first.
      if (!id) throw new TypeError(`id ${id}: must be the id of a delivery`);
      const current = running.get(id);
      if (current) return current.then(() => false);
      const mine = run(id, work).finally(() => running.delete(id));
      running.set(id, mine);
      return mine;
    },
  };
}
