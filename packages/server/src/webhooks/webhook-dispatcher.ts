import { setTimeout as sleep } from 'node:timers/promises';
import { periodicService } from '../lifecycle.js';
import { FetchClosedError } from '../network/guarded-connector.js';
import type { AttemptOutcome } from './attempt.js';
import type { Claim, DeliveryQueue } from './delivery-queue.js';
import { Endpoint, type LeasedDelivery, slowAfterMs } from './endpoint.js';
import { type AttemptContext, attemptTimeoutMs, signAndSend } from './sign-and-send.js';

export interface WebhookDispatcherOptions extends AttemptContext {
  readonly queue: DeliveryQueue;
  readonly onError: (error: unknown) => void;
}

/** How long a delivery is leased. After a crash, it is sent after this time. */
const leaseMs = 15_000;
// A delivery is sent only if at least this much of its lease is left. Otherwise the lease could expire
// during the attempt, and another dispatcher would send the delivery too.
const leaseMarginMs = attemptTimeoutMs + 2_000;
// How often storage is searched for due deliveries: retries, and deliveries of other nodes.
const scanEveryMs = 500;
// While storage has no pending delivery, which new events wake.
const idleScanEveryMs = 5_000;
// The shortest pause between two scans, as a multiple of the last scan's duration, so that many webhooks do
// not occupy the thread.
const scanPauseFactor = 4;
// The pause between two transactions, in which outcomes and due deliveries become a batch.
const tickEveryMs = 20;
const maxOutcomes = 512;
// The number of deliveries in memory, which also limits the open sockets.
const capacity = { answering: 2_048, slow: 512 };
// The number of endpoints that one transaction leases for.
const maxClaims = 64;
// An endpoint gets at most this share of the free capacity, so some remains for others.
const shareOfFree = 1 / 4;
// The pause of an endpoint after an attempt without an outcome, such as with an unreadable secret.
const pauseMs = 2 * leaseMs;
const stopGraceMs = 1_000;
// What is known of an endpoint without deliveries is forgotten after this time.
const forgetAfterMs = 10 * 60_000;

export type WebhookDispatcher = ReturnType<typeof createDispatcher>;

export type DispatchFigures = WebhookDispatcher['figures'];

/**
 * Sends due deliveries: leases them, signs them, posts them, and records the outcomes. The number of
 * attempts in flight is limited for each endpoint. An outcome is recorded after the attempt: after a crash
 * in between, the attempt is repeated, and no delivery is lost.
 */
export function createDispatcher(options: WebhookDispatcherOptions) {
  const { queue, fetch, clock, onError } = options;
  /** The endpoints by webhook, the least recently served first. */
  const endpoints = new Map<string, Endpoint>();
  const outcomes: AttemptOutcome[] = [];
  /** The number of recorded attempts since the start, by the type of the event and the outcome. */
  const counts = new Map<string, number>();
  let isStopping = false;
  let recorded = 0;
  let pending = 0;
  // Times by `performance.now()`.
  let scanAt = 0;
  let scanPauseMs = scanEveryMs;
  let tickedAt = performance.now();

  const loop = periodicService({
    everyMs: tickEveryMs,
    idleEveryMs: scanEveryMs,
    /** Returns false while there is nothing to do. */
    async tick(): Promise<boolean> {
      if (performance.now() >= scanAt) await scan();
      const isBusy = await exchange();
      tickedAt = performance.now();
      return isBusy || scanAt <= tickedAt;
    },
    onError,
  });

  function endpointOf(webhookId: string): Endpoint {
    const known = endpoints.get(webhookId);
    if (known) return known;
    const endpoint = new Endpoint(webhookId);
    endpoints.set(webhookId, endpoint);
    return endpoint;
  }

  function freeCapacity() {
    const free = { ...capacity };
    for (const endpoint of endpoints.values()) free[kindOf(endpoint)] -= endpoint.held;
    return free;
  }

  /** Returns the number of deliveries in flight, or waiting for another one of their endpoint. */
  function countHeld(): number {
    const free = freeCapacity();
    return capacity.answering - free.answering + capacity.slow - free.slow;
  }

  function scanIn(ms: number): void {
    scanAt = Math.min(scanAt, performance.now() + ms);
  }

  /** Finds the endpoints that have due deliveries, such as retries and those of other nodes. */
  async function scan(): Promise<void> {
    const startedAt = performance.now();
    scanAt = Number.POSITIVE_INFINITY;
    try {
      const due = await queue.findDue(clock());
      pending = await queue.countPending();
      for (const [webhookId, endpoint] of endpoints) {
        endpoint.dueAt = Number.POSITIVE_INFINITY;
        const isIdle = endpoint.held === 0 && !endpoint.mayBeDue;
        const isOld = startedAt - endpoint.usedAt > forgetAfterMs;
        if (isIdle && isOld) endpoints.delete(webhookId);
      }
      for (const { webhookId, dueAt } of due) {
        Object.assign(endpointOf(webhookId), { dueAt, mayBeDue: true });
      }
    } finally {
      scanPauseMs = Math.max(scanEveryMs, scanPauseFactor * (performance.now() - startedAt));
      // Others may have called for an earlier one meanwhile.
      scanIn(pending === 0 ? Math.max(idleScanEveryMs, scanPauseMs) : scanPauseMs);
    }
  }

  /** Records outcomes and leases deliveries in one transaction, and sends what it leased. */
  async function exchange(): Promise<boolean> {
    const recording = outcomes.splice(0, maxOutcomes);
    // Outcomes that wait too long are lost with their leases, and the deliveries are sent again.
    const claims = isStopping || outcomes.length > 0 ? [] : claim();
    if (recording.length + claims.length === 0) return false;
    const leasedUntil = performance.now() + leaseMs;
    try {
      const wanted = { outcomes: recording, claims };
      const { deliveries, more } = await queue.exchange(wanted, clock(), leaseMs);
      for (const webhookId of more) endpointOf(webhookId).mayBeDue = true;
      for (const delivery of deliveries) {
        endpointOf(delivery.webhookId).waiting.push({ ...delivery, leasedUntil });
      }
    } catch (error) {
      outcomes.unshift(...recording);
      for (const { webhookId } of claims) endpointOf(webhookId).mayBeDue = true;
      throw error;
    }
    recorded += recording.length;
    for (const { delivery, error, nextAttemptAt } of recording) {
      const outcome = error === null ? 'delivered' : nextAttemptAt === null ? 'failed' : 'retried';
      const key = `${delivery.eventType}/${outcome}`;
      counts.set(key, (counts.get(key) ?? 0) + 1);
    }
    for (const { webhookId } of claims) send(endpointOf(webhookId));
    return true;
  }

  /** Decides how many deliveries of which endpoints to lease. Those that are served move to the end. */
  function claim(): Claim[] {
    const free = freeCapacity();
    const claims: Claim[] = [];
    for (const endpoint of endpoints.values()) {
      if (claims.length === maxClaims) break;
      const kind = kindOf(endpoint);
      const share = Math.max(1, Math.floor(free[kind] * shareOfFree));
      const count = Math.min(endpoint.claimable, share, free[kind]);
      if (count <= 0) continue;
      free[kind] -= count;
      endpoint.mayBeDue = false;
      claims.push({ webhookId: endpoint.webhookId, count });
    }
    for (const { webhookId } of claims) {
      const endpoint = endpointOf(webhookId);
      endpoints.delete(webhookId);
      endpoints.set(webhookId, endpoint);
    }
    return claims;
  }

  /**
   * Sends as many deliveries of an endpoint as may be in flight. Those that are not sent in time are dropped
   * from memory, and due again when their leases end.
   */
  function send(endpoint: Endpoint): void {
    if (isStopping) endpoint.waiting.length = 0;
    for (let next = endpoint.next(); next; next = endpoint.next()) {
      if (next.leasedUntil - leaseMarginMs < performance.now()) endpoint.inFlight -= 1;
      else void attempt(endpoint, next);
    }
  }

  async function attempt(endpoint: Endpoint, delivery: LeasedDelivery): Promise<void> {
    const timer = setTimeout(() => {
      endpoint.isSlow = true;
    }, slowAfterMs);
    try {
      const outcome = await signAndSend(delivery, options);
      endpoint.finish(outcome);
      outcomes.push(outcome);
    } catch (error) {
      if (!(error instanceof FetchClosedError)) {
        // A defect, such as an unreadable secret. The delivery is due again when its lease ends.
        onError(error);
        endpoint.pausedUntil = performance.now() + pauseMs;
        endpoint.waiting.length = 0;
      }
    }
    clearTimeout(timer);
    endpoint.inFlight -= 1;
    send(endpoint);
    loop.wake();
  }

  return {
    start: () => loop.start(),

    /** Waits up to a second for attempts in flight. Those that it aborts are repeated after their leases. */
    async stop(): Promise<void> {
      isStopping = true;
      await loop.stop();
      for (const endpoint of endpoints.values()) endpoint.waiting.length = 0;
      const deadline = performance.now() + stopGraceMs;
      while (countHeld() > 0 && performance.now() < deadline) await sleep(tickEveryMs);
      fetch.close();
      while (countHeld() > 0) await sleep(tickEveryMs);
      try {
        while (outcomes.length > 0) await exchange();
      } catch (error) {
        onError(error);
      }
    },

    countHeld,

    /** The number of endpoints that are remembered. */
    get endpointCount(): number {
      return endpoints.size;
    },

    get figures() {
      const now = clock();
      const overdueMs = { answering: 0, slow: 0 };
      for (const endpoint of endpoints.values()) {
        const kind = kindOf(endpoint);
        overdueMs[kind] = Math.max(overdueMs[kind], now - endpoint.dueAt);
      }
      return {
        attempts: counts as ReadonlyMap<string, number>,
        /** Pending deliveries at the last scan. At most `maxPendingCounted` are counted. */
        pending,
        /**
         * How long the oldest due delivery has waited for an attempt; 0 when none waits. `slow` is that
         * of endpoints that hang or respond slowly, which only their own backlog delays.
         */
        overdueMs,
        /** How long ago the dispatcher last completed a tick. */
        sinceTickMs: performance.now() - tickedAt,
      };
    },

    /** Leases due deliveries of some webhooks now. */
    wake(webhookIds: readonly string[]): void {
      // A scan finds the retries of what is sent now.
      scanIn(scanPauseMs);
      for (const webhookId of webhookIds) endpointOf(webhookId).mayBeDue = true;
      loop.wake();
    },

    /** Sends all due deliveries and records the outcomes. Returns the number of attempts. */
    async drain(): Promise<number> {
      const before = recorded;
      await scan();
      do {
        await exchange();
        if (countHeld() > 0) await sleep(1);
      } while (
        countHeld() > 0 ||
        outcomes.length > 0 ||
        [...endpoints.values()].some((endpoint) => endpoint.claimable > 0)
      );
      return recorded - before;
    },
  };
}

function kindOf({ isSlow }: Endpoint) {
  return isSlow ? 'slow' : 'answering';
}
