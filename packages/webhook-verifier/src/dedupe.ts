import { refuseUnknown } from './options.js';

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
 *
 * @example
 * ```ts
 * import { DeliveryInProgressError } from '@shorty/webhook-verifier/dedupe';
 *
 * export function responseTo(error: unknown): Response {
 *   if (!(error instanceof DeliveryInProgressError)) throw error;
 *   return new Response(error.message, { status: error.statusCode, headers: error.headers });
 * }
 * ```
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
 *
 * @example
 * ```ts
 * import type { WebhookEvent } from '@shorty/webhook-verifier';
 * import { isStale } from '@shorty/webhook-verifier/dedupe';
 *
 * const links = new Map<string, WebhookEvent<'url.updated'>>();
 *
 * export function update(event: WebhookEvent<'url.updated'>): void {
 *   if (isStale(event, links.get(event.data.id)?.createdAt)) return;
 *   links.set(event.data.id, event);
 * }
 * ```
 */
export function isStale(
  { createdAt }: { readonly createdAt: string },
  lastSeen: Date | string | null | undefined,
): boolean {
  if (lastSeen === null || lastSeen === undefined) return false;
  const seen = new Date(lastSeen).getTime();
  if (Number.isNaN(seen)) throw new TypeError(`lastSeen ${lastSeen}: must be a time`);
  return Date.parse(createdAt) < seen;
}

function memoryStore(max: number, now: () => number): DedupeStore {
  const entries = new Map<string, { state: 'running' | 'done'; until: number }>();
  function put(id: string, state: 'running' | 'done', ms: number): void {
    // A map iterates in the order of insertion. Deleting first moves the id to the end.
    entries.delete(id);
    entries.set(id, { state, until: now() + ms });
    for (const [oldest, { until }] of entries) {
      if (entries.size <= max && until > now()) break;
      entries.delete(oldest);
    }
  }
  return {
    claim(id, leaseMs) {
      const entry = entries.get(id);
      if (entry && entry.until > now()) return entry.state;
      put(id, 'running', leaseMs);
      return 'claimed';
    },
    finish: (id, ttlMs) => put(id, 'done', ttlMs),
    release: (id) => void entries.delete(id),
  };
}

/**
 * Creates a deduper, which runs work once for each id. Shorty delivers at least once, so a delivery
 * can arrive again. Use the delivery id, which is the same in every attempt. A replay that you request
 * is a new delivery of the same event, so its work runs again.
 *
 * @throws {RangeError} if `ttlMs`, `max` or `leaseMs` is not positive; a TypeError for an unknown option
 *
 * @example
 * ```ts
 * import { createDeduper } from '@shorty/webhook-verifier/dedupe';
 *
 * const deduper = createDeduper();
 *
 * // `deliveryId` is the value of X-Service-Delivery-Id.
 * export async function receive(deliveryId: string, charge: () => Promise<void>) {
 *   const ran = await deduper.once(deliveryId, charge);
 *   return ran ? 'handled' : 'duplicate';
 * }
 * ```
 */
export function createDeduper(options: DedupeOptions = {}): Deduper {
  refuseUnknown(options, ['ttlMs', 'max', 'leaseMs', 'store', 'now']);
  const { ttlMs = 172_800_000, max = 10_000, leaseMs = 60_000, now = Date.now } = options;
  if (!(ttlMs > 0 && max > 0 && leaseMs > 0)) {
    throw new RangeError('ttlMs, max and leaseMs must be positive');
  }
  const store = options.store ?? memoryStore(max, now);
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
      } catch (failure) {
        throw new AggregateError(
          [error, failure],
          `${id}: its work failed, and so did store.release`,
        );
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
