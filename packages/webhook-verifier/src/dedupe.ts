/** Whether an id may be worked on: now, not yet, or no longer. */
export type DedupeState = 'claimed' | 'running' | 'done';

/**
 * Where ids are remembered. A store that several processes share must decide a claim atomically:
 * in Redis, `SET id running NX PX leaseMs`, and `GET id` where that did nothing.
 */
export interface DedupeStore {
  /** Marks an unknown id as running for `leaseMs` milliseconds, and says what it found. */
  claim(id: string, leaseMs: number): DedupeState | Promise<DedupeState>;
  /** Marks a claimed id as done for `ttlMs` milliseconds. */
  finish(id: string, ttlMs: number): void | Promise<void>;
  /** Forgets a claimed id, because its work failed. */
  release(id: string): void | Promise<void>;
}

/** How long, how many and where. */
export interface DedupeOptions {
  /** Milliseconds that a finished id is remembered. Default 48 h: the retries take 31.2 h. */
  readonly ttlMs?: number | undefined;
  /** Ids that the store in memory holds; beyond that the oldest goes. Default 10,000. */
  readonly max?: number | undefined;
  /** Milliseconds after which work whose process died may be taken over. Default 60,000. */
  readonly leaseMs?: number | undefined;
  /** Default: the memory of this process. */
  readonly store?: DedupeStore | undefined;
  /** Milliseconds since the epoch, for the store in memory; for tests. Default `Date.now`. */
  readonly now?: (() => number) | undefined;
}

/** Runs work once for each id. */
export interface Deduper {
  /**
   * Runs the work unless it was done for this id before; resolves to whether it ran. Where the same
   * id is being worked on, waits for that: if it fails, this call fails too, so that the sender
   * tries again. Rejects when another process is still at it.
   */
  once(id: string, work: () => unknown): Promise<boolean>;
}

function memoryStore(max: number, now: () => number): DedupeStore {
  const entries = new Map<string, { state: 'running' | 'done'; until: number }>();
  function put(id: string, state: 'running' | 'done', ms: number): void {
    // Deleted first: the map keeps the order of insertion, so the oldest is always in front.
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
 * Makes a guard that lets each id through once. Shorty delivers at least once, so the same delivery
 * can come again. Give it `event.id`, which is signed and the same in every attempt: the delivery
 * id's header is not signed, so somebody who repeats a captured delivery can put a new one there.
 * Use the delivery id where several webhooks share a receiver and each delivery must count.
 *
 * @throws {RangeError} for a time or a number that is not positive
 *
 * @example
 * ```ts
 * import type { WebhookEvent } from '@shorty/webhook-verifier';
 * import { createDeduper } from '@shorty/webhook-verifier/dedupe';
 *
 * const deduper = createDeduper();
 *
 * export async function receive(event: WebhookEvent, charge: () => Promise<void>) {
 *   const ran = await deduper.once(event.id, charge);
 *   return ran ? 'handled' : 'seen before';
 * }
 * ```
 */
export function createDeduper(options: DedupeOptions = {}): Deduper {
  const { ttlMs = 172_800_000, max = 10_000, leaseMs = 60_000, now = Date.now } = options;
  if (!(ttlMs > 0 && max > 0 && leaseMs > 0)) {
    throw new RangeError('ttlMs, max and leaseMs must be positive');
  }
  const store = options.store ?? memoryStore(max, now);
  const running = new Map<string, Promise<boolean>>();

  async function run(id: string, work: () => unknown): Promise<boolean> {
    const state = await store.claim(id, leaseMs);
    if (state === 'running') throw new Error(`${id} is being handled elsewhere`);
    if (state === 'done') return false;
    try {
      await work();
    } catch (error) {
      try {
        await store.release(id);
      } catch (failure) {
        throw new AggregateError([error, failure], `${id} is not released`);
      }
      throw error;
    }
    await store.finish(id, ttlMs);
    return true;
  }

  return {
    async once(id, work) {
      const current = running.get(id);
      if (current) return current.then(() => false);
      const mine = run(id, work).finally(() => running.delete(id));
      running.set(id, mine);
      return mine;
    },
  };
}
