import { setTimeout as sleep } from 'node:timers/promises';
import type { EventOutbox } from '../events/event-outbox.js';
import { PeriodicService, type Service } from '../lifecycle.js';
import { FetchClosedError } from '../network/guarded-connector.js';
import type { AttemptOutcome } from './attempt.js';
import type { Claim, DeliveryQueue } from './delivery-queue.js';
import { Endpoint, type LeasedDelivery, slowAfterMs } from './endpoint.js';
import { type AttemptContext, attemptTimeoutMs, signAndSend } from './sign-and-send.js';

export interface WebhookDispatcherOptions extends AttemptContext {
  readonly outbox: Pick<EventOutbox, 'fanOut'>;
  readonly queue: DeliveryQueue;
  readonly onError: (error: unknown) => void;
}

export type DispatchFigures = WebhookDispatcher['figures'];

/** How long a delivery is leased. After a crash, it is sent after this time. */
const leaseMs = 15_000;
// A delivery is sent only if at least this much of its lease is left. Otherwise the lease could expire
// during the attempt, and another dispatcher would send the delivery too.
const leaseMarginMs = attemptTimeoutMs + 2_000;
// How often storage is searched for due deliveries: retries, and deliveries of other nodes.
const scanEveryMs = 500;
// While storage has no pending delivery, which new events wake.
const idleScanEveryMs = 5_000;
// The shortest pause between two scans, as a multiple of the last scan's duration. It limits the share of
// time in which a fan-out holds the write lock.
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

/**
 * Sends due deliveries: leases them, signs them, posts them, and records the outcomes. The number of
 * attempts in flight is limited for each endpoint. An outcome is recorded after the attempt: after a crash
 * in between, the attempt is repeated, and no delivery is lost.
 */
export class WebhookDispatcher implements Service {
  readonly #options: WebhookDispatcherOptions;
  readonly #loop;
  /** The endpoints by webhook, the least recently served first. */
  readonly #endpoints = new Map<string, Endpoint>();
  readonly #outcomes: AttemptOutcome[] = [];
  /** The number of recorded attempts since the start, by the type of the event and the outcome. */
  readonly #counts = new Map<string, number>();
  #isStopping = false;
  #recorded = 0;
  #pending = 0;
  // Times by `performance.now()`.
  #scanAt = 0;
  #noScanBefore = 0;
  #tickedAt = performance.now();

  constructor(options: WebhookDispatcherOptions) {
    this.#options = options;
    this.#loop = new PeriodicService({
      everyMs: tickEveryMs,
      idleEveryMs: scanEveryMs,
      tick: () => this.#tick(),
      onError: options.onError,
    });
  }

  start(): void {
    this.#loop.start();
  }

  /** Waits up to a second for attempts in flight. Those that it aborts are repeated after their leases. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    await this.#loop.stop();
    for (const endpoint of this.#endpoints.values()) endpoint.waiting.length = 0;
    const deadline = performance.now() + stopGraceMs;
    while (this.held > 0 && performance.now() < deadline) await sleep(tickEveryMs);
    this.#options.fetch.close();
    while (this.held > 0) await sleep(tickEveryMs);
    try {
      while (this.#outcomes.length > 0) await this.#exchange();
    } catch (error) {
      this.#options.onError(error);
    }
  }

  /** The number of deliveries in flight, or waiting for another one of their endpoint. */
  get held(): number {
    const free = this.#freeCapacity();
    return capacity.answering - free.answering + capacity.slow - free.slow;
  }

  /** The number of endpoints that are remembered. */
  get endpointCount(): number {
    return this.#endpoints.size;
  }

  get figures() {
    const now = this.#options.clock();
    const overdueMs = { answering: 0, slow: 0 };
    for (const endpoint of this.#endpoints.values()) {
      const kind = kindOf(endpoint);
      overdueMs[kind] = Math.max(overdueMs[kind], now - endpoint.dueAt);
    }
    return {
      attempts: this.#counts,
      /** Pending deliveries at the last scan. At most `maxPendingCounted` are counted. */
      pending: this.#pending,
      /**
       * How long the oldest due delivery has waited for an attempt; 0 when none waits. `slow` is that
       * of endpoints that hang or respond slowly, which only their own backlog delays.
       */
      overdueMs,
      /** How long ago the dispatcher last completed a tick. */
      sinceTickMs: performance.now() - this.#tickedAt,
    };
  }

  /** Leases due deliveries of some webhooks now; by default, of all that storage has. */
  wake(webhookIds?: readonly string[]): void {
    // A scan finds the retries of what is sent now.
    if (webhookIds?.length !== 0) this.#scanIn(webhookIds ? scanEveryMs : 0);
    for (const webhookId of webhookIds ?? []) this.#endpointOf(webhookId).mayBeDue = true;
    this.#loop.wake();
  }

  /** Sends all due deliveries and records the outcomes. Returns the number of attempts. */
  async drain(): Promise<number> {
    const before = this.#recorded;
    while (await this.#options.outbox.fanOut());
    await this.#scan();
    do {
      await this.#exchange();
      if (this.held > 0) await sleep(1);
    } while (
      this.held > 0 ||
      this.#outcomes.length > 0 ||
      [...this.#endpoints.values()].some((endpoint) => endpoint.claimable > 0)
    );
    return this.#recorded - before;
  }

  /** Returns false while there is nothing to do. */
  async #tick(): Promise<boolean> {
    if (performance.now() >= Math.max(this.#scanAt, this.#noScanBefore)) await this.#scan();
    const isBusy = await this.#exchange();
    this.#tickedAt = performance.now();
    return isBusy || this.#scanAt <= this.#tickedAt;
  }

  #scanIn(ms: number): void {
    this.#scanAt = Math.min(this.#scanAt, performance.now() + ms);
  }

  /** Finds the endpoints that have due deliveries, such as retries and those of other nodes. */
  async #scan(): Promise<void> {
    const startedAt = performance.now();
    const { outbox, queue, clock } = this.#options;
    let pauseMs = scanEveryMs;
    this.#scanAt = Number.POSITIVE_INFINITY;
    try {
      const mayFanOutMore = await outbox.fanOut();
      const due = await queue.findDue(clock());
      this.#pending = await queue.countPending();
      for (const [webhookId, endpoint] of this.#endpoints) {
        endpoint.dueAt = Number.POSITIVE_INFINITY;
        const isIdle = endpoint.held === 0 && !endpoint.mayBeDue;
        const isOld = startedAt - endpoint.usedAt > forgetAfterMs;
        if (isIdle && isOld) this.#endpoints.delete(webhookId);
      }
      for (const { webhookId, dueAt } of due) {
        Object.assign(this.#endpointOf(webhookId), { dueAt, mayBeDue: true });
      }
      if (mayFanOutMore) pauseMs = 0;
      else if (this.#pending === 0) pauseMs = idleScanEveryMs;
    } finally {
      // Others may have called for an earlier one meanwhile.
      this.#scanIn(pauseMs);
      const endedAt = performance.now();
      this.#noScanBefore = endedAt + scanPauseFactor * (endedAt - startedAt);
    }
  }

  /** Records outcomes and leases deliveries in one transaction, and sends what it leased. */
  async #exchange(): Promise<boolean> {
    const outcomes = this.#outcomes.splice(0, maxOutcomes);
    // Outcomes that wait too long are lost with their leases, and the deliveries are sent again.
    const claims = this.#isStopping || this.#outcomes.length > 0 ? [] : this.#claim();
    if (outcomes.length + claims.length === 0) return false;
    const leasedUntil = performance.now() + leaseMs;
    const { queue, clock } = this.#options;
    try {
      const exchange = { outcomes, claims };
      const { deliveries, more } = await queue.exchange(exchange, clock(), leaseMs);
      for (const webhookId of more) this.#endpointOf(webhookId).mayBeDue = true;
      for (const delivery of deliveries) {
        this.#endpointOf(delivery.webhookId).waiting.push({ ...delivery, leasedUntil });
      }
    } catch (error) {
      this.#outcomes.unshift(...outcomes);
      for (const { webhookId } of claims) this.#endpointOf(webhookId).mayBeDue = true;
      throw error;
    }
    this.#recorded += outcomes.length;
    for (const outcome of outcomes) this.#count(outcome);
    for (const { webhookId } of claims) this.#send(this.#endpointOf(webhookId));
    return true;
  }

  /** Decides how many deliveries of which endpoints to lease. Those that are served move to the end. */
  #claim(): Claim[] {
    const free = this.#freeCapacity();
    const claims: Claim[] = [];
    for (const endpoint of this.#endpoints.values()) {
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
      const endpoint = this.#endpointOf(webhookId);
      this.#endpoints.delete(webhookId);
      this.#endpoints.set(webhookId, endpoint);
    }
    return claims;
  }

  /**
   * Sends as many deliveries of an endpoint as may be in flight. Those that are not sent in time are dropped
   * from memory, and due again when their leases end.
   */
  #send(endpoint: Endpoint): void {
    if (this.#isStopping) endpoint.waiting.length = 0;
    for (let next = endpoint.next(); next; next = endpoint.next()) {
      if (next.leasedUntil - leaseMarginMs < performance.now()) endpoint.inFlight -= 1;
      else void this.#attempt(endpoint, next);
    }
  }

  async #attempt(endpoint: Endpoint, delivery: LeasedDelivery): Promise<void> {
    const timer = setTimeout(() => {
      endpoint.isSlow = true;
    }, slowAfterMs);
    try {
      const outcome = await signAndSend(delivery, this.#options);
      endpoint.finish(outcome);
      this.#outcomes.push(outcome);
    } catch (error) {
      if (!(error instanceof FetchClosedError)) {
        // A defect, such as an unreadable secret. The delivery is due again when its lease ends.
        this.#options.onError(error);
        endpoint.pausedUntil = performance.now() + pauseMs;
        endpoint.waiting.length = 0;
      }
    }
    clearTimeout(timer);
    endpoint.inFlight -= 1;
    this.#send(endpoint);
    this.#loop.wake();
  }

  #endpointOf(webhookId: string): Endpoint {
    const known = this.#endpoints.get(webhookId);
    if (known) return known;
    const endpoint = new Endpoint(webhookId);
    this.#endpoints.set(webhookId, endpoint);
    return endpoint;
  }

  #freeCapacity() {
    const free = { ...capacity };
    for (const endpoint of this.#endpoints.values()) free[kindOf(endpoint)] -= endpoint.held;
    return free;
  }

  #count({ delivery, error, nextAttemptAt }: AttemptOutcome): void {
    const outcome = error === null ? 'delivered' : nextAttemptAt === null ? 'failed' : 'retried';
    const key = `${delivery.eventType}/${outcome}`;
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1);
  }
}

function kindOf({ isSlow }: Endpoint) {
  return isSlow ? 'slow' : 'answering';
}
