import type { EventOutbox } from '../events/event-outbox.js';
import { ErrorThrottle, type Service } from '../lifecycle.js';
import { FetchClosedError } from '../network/guarded-connector.js';
import type { AttemptOutcome, ClaimedDelivery } from './attempt.js';
import { Bulkhead, Signal } from './bulkhead.js';
import type { Claim, DeliveryQueue } from './delivery-queue.js';
import { Endpoint, slowAfterMs } from './endpoint.js';
import { type AttemptContext, attemptTimeoutMs, signAndSend } from './sign-and-send.js';

export interface WebhookDispatcherOptions extends AttemptContext {
  readonly outbox: Pick<EventOutbox, 'fanOut'>;
  readonly queue: DeliveryQueue;
  /** Whether no other process uses the storage. Leases that the start finds are then of a process that was killed. */
  readonly isAlone?: boolean;
  readonly onError: (error: unknown) => void;
}

interface OutcomeCount {
  readonly event: string;
  readonly outcome: 'delivered' | 'retried' | 'failed';
  readonly count: number;
}

export type DispatchFigures = WebhookDispatcher['figures'];

/** How long a delivery is leased. After a crash, others send it after this time. */
const leaseMs = 15_000;
// A delivery is sent only if at least this much of its lease is left. Otherwise the lease could expire
// during the attempt, and another dispatcher would send the delivery too.
const leaseMarginMs = attemptTimeoutMs + 2_000;
// How often storage is searched for due deliveries: retries, and deliveries of other nodes.
const scanEveryMs = 500;
// While storage has no pending delivery, which new events wake.
const idleScanEveryMs = 5_000;
// The shortest pause between two scans, as a multiple of the last scan's duration.
const scanPauseFactor = 4;
// Outcomes are recorded in batches: when a transaction is full, or after this time.
const flushAfterMs = 25;
// An endpoint gets at most this share of the free capacity of its bulkhead, so some remains for others.
const shareOfFree = 1 / 4;
// The pause of an endpoint after an attempt without an outcome, such as with an unreadable secret.
const pauseMs = 2 * leaseMs;
const stopGraceMs = 1_000;
// What is known of an endpoint without deliveries is forgotten after this time.
const evictAfterMs = 10 * 60_000;

/**
 * Sends due deliveries: leases them, signs them, posts them, and records the outcomes. The number of
 * attempts in flight is limited for each endpoint. An outcome is recorded after the attempt: after a crash
 * in between, the attempt is repeated, and no delivery is lost.
 */
export class WebhookDispatcher implements Service {
  readonly name = 'webhooks';
  readonly #options: WebhookDispatcherOptions;
  readonly #answering = new Bulkhead(2_048, 64, 512);
  // Many endpoints can hang at the same time, and each has rows of its own to change.
  readonly #slow = new Bulkhead(512, 16, 16);
  readonly #scans = new Signal();
  /** The endpoints by webhook, the least recently served first. */
  readonly #endpoints = new Map<string, Endpoint>();
  readonly #counts = new Map<string, OutcomeCount>();
  #running: Promise<unknown> | undefined;
  #isStopping = false;
  #mustReleaseAll: boolean;
  #recorded = 0;
  #pending = 0;
  #scanPauseMs = scanEveryMs;
  #tickedAt = performance.now();

  constructor(options: WebhookDispatcherOptions) {
    this.#options = options;
    this.#mustReleaseAll = options.isAlone ?? false;
  }

  start(): void {
    this.#running ??= Promise.all([
      this.#repeat(
        this.#scans,
        () => this.#scan(),
        () => this.#scanPauseMs,
      ),
      this.#repeat(this.#answering.signal, () => this.#tick(this.#answering)),
      this.#repeat(this.#slow.signal, () => this.#tick(this.#slow)),
    ]);
  }

  /** Waits up to a second for attempts in flight. Those that it aborts are repeated after their leases. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    const signals = [this.#scans, this.#answering.signal, this.#slow.signal];
    for (const signal of signals) signal.wake();
    await this.#running;
    for (const endpoint of this.#endpoints.values()) endpoint.waiting.length = 0;
    const deadline = performance.now() + stopGraceMs;
    while (this.held > 0 && performance.now() < deadline) await this.#scans.wait(flushAfterMs);
    this.#options.fetch.close();
    while (this.held > 0) await this.#scans.wait(flushAfterMs);
    try {
      for (const bulkhead of [this.#answering, this.#slow])
        while (bulkhead.outcomes.length > 0) await this.#tick(bulkhead);
    } catch (error) {
      this.#options.onError(error);
    }
  }

  /** The number of deliveries in flight, or waiting for another one of their endpoint. */
  get held(): number {
    return this.#heldOf(this.#answering) + this.#heldOf(this.#slow);
  }

  get figures() {
    const now = this.#options.clock();
    const overdueMs = { answering: 0, slow: 0 };
    for (const { isSlow, dueAt } of this.#endpoints.values()) {
      const kind = isSlow ? 'slow' : 'answering';
      overdueMs[kind] = Math.max(overdueMs[kind], now - dueAt);
    }
    return {
      /** Recorded attempts since the start. */
      attempts: [...this.#counts.values()],
      /** Pending deliveries at the last scan. At most `maxCounted` are counted. */
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
    if (!webhookIds) this.#scans.wake();
    // The scan finds the retries of what is sent now.
    else if (webhookIds.length > 0) this.#scans.wakeIn(scanEveryMs);
    for (const webhookId of webhookIds ?? []) {
      const endpoint = this.#endpointOf(webhookId);
      endpoint.mayBeDue = true;
      this.#bulkheadOf(endpoint).signal.wake();
    }
  }

  /** Sends all due deliveries and records the outcomes. Returns the number of attempts. */
  async drain(): Promise<number> {
    const before = this.#recorded;
    while (await this.#options.outbox.fanOut());
    await this.#scan();
    const bulkheads = [this.#answering, this.#slow];
    const mustWrite = () => bulkheads.some(({ outcomes }) => outcomes.length > 0);
    do {
      for (const bulkhead of bulkheads) await this.#tick(bulkhead);
      if (this.held > 0 && !mustWrite()) await this.#answering.signal.wait(flushAfterMs);
    } while (
      this.held > 0 ||
      mustWrite() ||
      [...this.#endpoints.values()].some((endpoint) => endpoint.claimable > 0)
    );
    return this.#recorded - before;
  }

  async #repeat(
    signal: Signal,
    work: () => Promise<void>,
    pauseMs: () => number = () => scanEveryMs,
  ): Promise<void> {
    const throttle = new ErrorThrottle(this.#options.onError);
    while (!this.#isStopping) {
      try {
        await work();
        throttle.reset();
      } catch (error) {
        throttle.report(error);
      }
      if (!this.#isStopping) await signal.wait(pauseMs());
    }
  }

  /** Finds the endpoints that have due deliveries, such as retries and those of other nodes. */
  async #scan(): Promise<void> {
    const startedAt = performance.now();
    const { outbox, queue, clock } = this.#options;
    this.#scanPauseMs = scanEveryMs;
    if (this.#mustReleaseAll) await queue.releaseAll();
    this.#mustReleaseAll = false;
    const mayFanOutMore = await outbox.fanOut();
    const due = await queue.findDue(clock());
    this.#pending = await queue.countPending();
    this.#scanPauseMs = this.#pending === 0 && !mayFanOutMore ? idleScanEveryMs : scanEveryMs;
    const dueAtOf = new Map(due.map(({ webhookId, dueAt }) => [webhookId, dueAt]));
    for (const [webhookId, endpoint] of this.#endpoints) {
      endpoint.dueAt = dueAtOf.get(webhookId) ?? Number.POSITIVE_INFINITY;
      const isIdle = endpoint.held === 0 && !endpoint.mayBeDue;
      if (isIdle && startedAt - endpoint.usedAt > evictAfterMs) this.#endpoints.delete(webhookId);
    }
    this.wake(due.map(({ webhookId }) => webhookId));
    if (!this.#running || this.#isStopping) return;
    // The pause also limits the share of time in which a fan-out holds the write lock.
    const pauseMs = scanPauseFactor * (performance.now() - startedAt);
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
    if (mayFanOutMore) this.#scans.wake();
  }

  /** Records outcomes and leases deliveries in one transaction, and sends what it leased. */
  async #tick(bulkhead: Bulkhead): Promise<void> {
    if (bulkhead === this.#answering) this.#tickedAt = performance.now();
    const outcomes = bulkhead.outcomes.splice(0, bulkhead.maxOutcomes);
    // Outcomes that wait too long are lost with their leases, and the deliveries are sent again.
    const claims = this.#isStopping || bulkhead.outcomes.length > 0 ? [] : this.#claim(bulkhead);
    if (outcomes.length + claims.length === 0) return;
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
      bulkhead.outcomes.unshift(...outcomes);
      for (const { webhookId } of claims) this.#endpointOf(webhookId).mayBeDue = true;
      throw error;
    }
    this.#recorded += outcomes.length;
    for (const outcome of outcomes) this.#count(outcome);
    for (const { webhookId } of claims) this.#send(this.#endpointOf(webhookId));
    // There may be more of anything than one transaction takes.
    if (claims.length > 0 || bulkhead.outcomes.length > 0) bulkhead.signal.wake();
  }

  /** Decides how many deliveries of which endpoints to lease. Those that are served move to the end. */
  #claim(bulkhead: Bulkhead): Claim[] {
    let free = bulkhead.capacity - this.#heldOf(bulkhead);
    const claims: Claim[] = [];
    for (const endpoint of this.#endpoints.values()) {
      if (free <= 0 || claims.length === bulkhead.maxClaims) break;
      if (this.#bulkheadOf(endpoint) !== bulkhead) continue;
      const count = Math.min(endpoint.claimable, Math.max(1, Math.floor(free * shareOfFree)));
      if (count === 0) continue;
      free -= count;
      endpoint.mayBeDue = false;
      endpoint.usedAt = performance.now();
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

  async #attempt(endpoint: Endpoint, delivery: ClaimedDelivery): Promise<void> {
    let outcome: AttemptOutcome | undefined;
    let isSlow = false;
    const timer = setTimeout(() => {
      isSlow = true;
      endpoint.isSlow = true;
    }, slowAfterMs);
    try {
      outcome = await signAndSend(delivery, this.#options);
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
    if (outcome) endpoint.finish(outcome, isSlow);
    const bulkhead = this.#bulkheadOf(endpoint);
    if (outcome) bulkhead.outcomes.push(outcome);
    this.#send(endpoint);
    const isFull = bulkhead.outcomes.length >= bulkhead.maxOutcomes / 2;
    if (isFull || endpoint.held === 0) bulkhead.signal.wake();
    else bulkhead.signal.wakeIn(flushAfterMs);
  }

  #endpointOf(webhookId: string): Endpoint {
    const known = this.#endpoints.get(webhookId);
    if (known) return known;
    const endpoint = new Endpoint(webhookId);
    this.#endpoints.set(webhookId, endpoint);
    return endpoint;
  }

  #bulkheadOf({ isSlow }: Endpoint): Bulkhead {
    return isSlow ? this.#slow : this.#answering;
  }

  #heldOf(bulkhead: Bulkhead): number {
    let held = 0;
    for (const each of this.#endpoints.values())
      if (this.#bulkheadOf(each) === bulkhead) held += each.held;
    return held;
  }

  #count({ delivery: { eventType: event }, error, nextAttemptAt }: AttemptOutcome): void {
    const outcome = error === null ? 'delivered' : nextAttemptAt === null ? 'failed' : 'retried';
    const key = `${event} ${outcome}`;
    const count = (this.#counts.get(key)?.count ?? 0) + 1;
    this.#counts.set(key, { event, outcome, count });
  }
}
