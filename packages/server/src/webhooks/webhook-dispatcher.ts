import type { EventOutbox } from '../events/event-outbox.js';
import type { Service } from '../lifecycle.js';
import { ErrorThrottle } from '../lifecycle.js';
import { PoolClosedError } from '../network/connection-pool.js';
import type { AttemptOutcome, ClaimedDelivery } from './attempt.js';
import { type AttemptContext, attemptDelivery, attemptTimeoutMs } from './attempt-delivery.js';
import type { DeliveryQueue, Endpoint } from './delivery-queue.js';
import { goneStatus } from './endpoint-health.js';
import { EndpointQueue, slowAfterMs } from './endpoint-queue.js';
import { type EndpointKind, type PlannedClaim, planClaims } from './endpoint-scheduler.js';
import type { UnwantedDeliveries } from './unwanted-deliveries.js';

export interface WebhookDispatcherOptions extends AttemptContext {
  readonly outbox: Pick<EventOutbox, 'fanOut'>;
  readonly queue: DeliveryQueue;
  readonly unwanted: Pick<UnwantedDeliveries, 'endSome'>;
  /** Whether no other process uses the storage. Leases that the start finds are then of a process that was killed. */
  readonly isAlone?: boolean;
  readonly onError: (error: unknown) => void;
}

/** The number of recorded attempts with one event type and outcome. */
interface OutcomeCount {
  readonly event: string;
  readonly outcome: 'delivered' | 'retried' | 'failed';
  readonly count: number;
}

export type DispatchFigures = WebhookDispatcher['figures'];

// How long a claimed delivery is leased. After a crash, it is due again when its lease expires, or when
// the only process that uses the storage has started again.
const leaseMs = 20_000;
// A delivery is sent only if at least this much of its lease is left. Otherwise the lease could
// expire during the attempt, and another dispatcher would send the delivery too.
const leaseMarginMs = attemptTimeoutMs + 2_000;
// How often storage is searched for due deliveries, which other nodes may have created.
const scanEveryMs = 500;
// The shortest pause between two scans, as a multiple of the last scan's duration. A scan of many
// endpoints takes long.
const scanPauseFactor = 4;
// A scan finds more webhooks than these.
const maxAnnounced = 64;
// The pause after looking up webhooks, for each of them. The duration of a look-up would also measure
// how busy the machine is.
const lookUpPauseMs = 0.5;
// Outcomes are recorded in batches: at this size, or after this time. A quick endpoint has more
// deliveries in memory, so its receiver is not idle meanwhile.
const flushAfterMs = 25;
// Slow endpoints have small transactions of their own. Many can hang at the same time, and each has rows
// of its own to change. A stop records all of them in large ones.
const flushCounts: Record<EndpointKind, number> = { answering: 256, slow: 2 };
const locks = { answering: 'deliveries', slow: 'slow deliveries' } as const;
// The queue of an endpoint without deliveries is evicted after this time.
const evictAfterMs = 10 * 60_000;
const stopGraceMs = 1_000;

/**
 * Sends due deliveries: claims them, signs them, posts them, and records the outcomes. Each endpoint
 * has its own queue, and the scheduler decides which queues claim. An outcome is recorded after the
 * attempt: after a crash in between, the attempt is repeated, and no delivery is lost.
 */
export class WebhookDispatcher implements Service {
  readonly name = 'webhooks';
  readonly #options: WebhookDispatcherOptions;
  /** The queues by webhook, the least recently served first. */
  readonly #queues = new Map<string, EndpointQueue>();
  readonly #outcomes: Record<EndpointKind, AttemptOutcome[]> = { answering: [], slow: [] };
  /** Claimed deliveries that will not be sent, because their endpoint became slow or inactive. */
  #unsent: ClaimedDelivery[] = [];
  #held = 0;
  /** Attempts in flight, less than a second old, at endpoints that respond in time. */
  #prompt = 0;
  /** The queues that may send in the next turn of the event loop. */
  readonly #ready = new Set<EndpointQueue>();
  #running: Promise<void> | undefined;
  /** The transaction of slow endpoints in progress. It never rejects. */
  #slowAdvance: Promise<void> | undefined;
  readonly #slowThrottle: ErrorThrottle;
  /** The number of recorded outcomes. */
  #recorded = 0;
  #isStopping = false;
  /** Webhooks that have new deliveries. */
  readonly #announced = new Set<string>();
  #isScanDue = true;
  #hasOldLeases: boolean;
  #scannedAt = Number.NEGATIVE_INFINITY;
  #scanTookMs = 0;
  /** When announced webhooks may be looked up again. */
  #lookUpAt = Number.NEGATIVE_INFINITY;
  readonly #counts = new Map<string, OutcomeCount>();
  #pending = 0;
  #earliestDueAt = { answering: Number.POSITIVE_INFINITY, slow: Number.POSITIVE_INFINITY };
  #tickedAt = performance.now();
  /** Whether the next tick must start. */
  #isWoken = false;
  /** Ends the wait for the next tick. */
  #endWait: (() => void) | undefined;
  #waitTimer: NodeJS.Timeout | undefined;
  #flushTimer: NodeJS.Timeout | undefined;

  constructor(options: WebhookDispatcherOptions) {
    this.#options = options;
    this.#hasOldLeases = options.isAlone ?? false;
    this.#slowThrottle = new ErrorThrottle(options.onError);
  }

  start(): void {
    this.#running ??= this.#run();
  }

  /** Waits up to a second for attempts in flight, and releases deliveries that were not sent. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    this.#wakeUp();
    await this.#running;
    this.#options.fetch.close();
  }

  /** The figures for metrics and health. */
  get figures() {
    const now = this.#options.clock();
    const { answering, slow } = this.#earliestDueAt;
    return {
      /** Recorded attempts since the start. */
      attempts: [...this.#counts.values()],
      /** Pending deliveries at the last scan. At most `maxCounted` are counted. */
      pending: this.#pending,
      /**
       * How long the oldest due delivery has waited for an attempt; 0 when none waits. `slow` is that
       * of endpoints that hang or respond slowly, which only their own backlog delays.
       */
      overdueMs: { answering: Math.max(0, now - answering), slow: Math.max(0, now - slow) },
      /** How long ago the dispatcher last completed a tick. */
      sinceTickMs: performance.now() - this.#tickedAt,
    };
  }

  /**
   * Makes the next tick search storage for due deliveries of some webhooks, of all of them by default,
   * and starts it now.
   */
  wake(webhookIds?: readonly string[]): void {
    for (const webhookId of webhookIds ?? []) this.#announced.add(webhookId);
    if (!webhookIds || this.#announced.size > maxAnnounced) this.#isScanDue = true;
    this.#wakeUp();
  }

  /** Sends all due deliveries and records the outcomes. Returns the number of attempts. */
  async drain(): Promise<number> {
    const before = this.#recorded;
    const { outbox, unwanted, clock } = this.#options;
    while (await outbox.fanOut());
    while (await unwanted.endSome(clock()));
    await this.#scan();
    do {
      await this.#tick();
      await this.#slowAdvance;
      // Throws the error of slow endpoints, which a tick only reports.
      await this.#advance('slow');
      if (this.#held > 0 && this.#unrecorded === 0) await this.#wait(scanEveryMs);
    } while (this.#held > 0 || this.#unrecorded > 0 || this.#hasMore);
    return this.#recorded - before;
  }

  /** Waits for a time, or until the dispatcher is woken. Returns at once if it was woken before. */
  async #wait(ms: number): Promise<void> {
    if (!this.#isWoken) {
      await new Promise<void>((resolve) => {
        this.#endWait = resolve;
        this.#waitTimer = setTimeout(resolve, ms);
      });
      clearTimeout(this.#waitTimer);
      this.#endWait = undefined;
    }
    this.#isWoken = false;
  }

  /** Makes the next tick start now. */
  #wakeUp(): void {
    this.#isWoken = true;
    this.#endWait?.();
  }

  async #run(): Promise<void> {
    const throttle = new ErrorThrottle(this.#options.onError);
    while (!this.#isStopping) {
      try {
        await this.#tick();
        this.#tickedAt = performance.now();
        throttle.reset();
      } catch (error) {
        throttle.report(error);
      }
      if (!this.#isStopping) await this.#wait(this.#nextTickInMs());
    }
    await this.#finish();
  }

  async #finish(): Promise<void> {
    const { queue, fetch, clock, onError } = this.#options;
    await this.#slowAdvance;
    for (const each of this.#queues.values()) this.#discard(each.drain());
    const deadline = performance.now() + stopGraceMs;
    while (this.#held > 0 && performance.now() < deadline) await this.#wait(flushAfterMs);
    // Aborted attempts are repeated when their leases expire.
    fetch.close();
    while (this.#held > 0) await this.#wait(flushAfterMs);
    try {
      while (this.#unrecorded > 0) {
        await this.#advance('answering');
        await this.#advance('slow');
      }
      await queue.release(this.#unsent.splice(0), clock());
    } catch (error) {
      onError(error);
    }
  }

  /**
   * Records outcomes and claims for the endpoints that respond in time. Starts the same for the slow ones,
   * which later ticks do not wait for.
   */
  async #tick(): Promise<void> {
    const { queue, clock } = this.#options;
    if (this.#nextScanInMs() <= 0) await this.#scan();
    else if (this.#nextLookUpInMs() <= 0) await this.#lookUp();
    await queue.release(this.#unsent.splice(0), clock());
    clearTimeout(this.#flushTimer);
    this.#flushTimer = undefined;
    await this.#advance('answering');
    this.#slowAdvance ??= this.#advanceSlow();
  }

  async #advanceSlow(): Promise<void> {
    try {
      // A tick meanwhile has left work for the next transaction.
      if (await this.#advance('slow')) this.#wakeUp();
      this.#slowThrottle.reset();
    } catch (error) {
      this.#slowThrottle.report(error);
    }
    this.#slowAdvance = undefined;
  }

  /** Records outcomes, claims as the scheduler plans, and sends. Returns whether there was any work. */
  async #advance(kind: EndpointKind): Promise<boolean> {
    const { queue, clock } = this.#options;
    const maxOutcomes = flushCounts[this.#isStopping ? 'answering' : kind];
    const outcomes = this.#outcomes[kind].splice(0, maxOutcomes);
    // Outcomes that wait too long are lost with their leases, and the deliveries are sent again.
    const isBehind = kind === 'slow' && this.#outcomes.slow.length > 0;
    const claims = this.#isStopping || isBehind ? [] : planClaims(this.#queues, kind);
    if (outcomes.length === 0 && claims.length === 0) return false;
    for (const claim of claims) {
      claim.queue.isClaiming = true;
      // A look-up may find further deliveries meanwhile.
      claim.queue.hasMore = false;
    }
    let claimed: ClaimedDelivery[];
    try {
      claimed = await queue.advance(outcomes, claims, clock(), leaseMs, locks[kind]);
    } catch (error) {
      // A later tick records these outcomes, and claims nothing until storage accepts them.
      this.#outcomes[kind].unshift(...outcomes);
      for (const claim of claims) {
        claim.queue.isClaiming = false;
        claim.queue.hasMore = true;
      }
      throw error;
    }
    this.#recorded += outcomes.length;
    for (const outcome of outcomes) this.#count(outcome);
    this.#accept(claims, claimed);
    if (this.#outcomes[kind].length > 0) this.#wakeUp();
    return true;
  }

  #count({ delivery: { eventType: event }, error, nextAttemptAt }: AttemptOutcome): void {
    const outcome = error === null ? 'delivered' : nextAttemptAt === null ? 'failed' : 'retried';
    const key = `${event} ${outcome}`;
    const count = (this.#counts.get(key)?.count ?? 0) + 1;
    this.#counts.set(key, { event, outcome, count });
  }

  #accept(claims: readonly PlannedClaim[], claimed: readonly ClaimedDelivery[]): void {
    this.#held += claimed.length;
    const byWebhook = new Map<string, ClaimedDelivery[]>();
    for (const delivery of claimed) {
      const own = byWebhook.get(delivery.webhookId);
      if (own) own.push(delivery);
      else byWebhook.set(delivery.webhookId, [delivery]);
    }
    // A plan has a limited number of claims, so another tick must make the next plan.
    if (claims.length > 0) this.#wakeUp();
    for (const { webhookId, queue, count } of claims) {
      const own = byWebhook.get(webhookId) ?? [];
      // Some may have been discarded since the claim was planned.
      const isReleased = this.#unsent.some((delivery) => delivery.webhookId === webhookId);
      queue.isClaiming = false;
      queue.hasMore ||= own.length === count || isReleased;
      queue.add(own);
      this.#send(queue);
    }
  }

  #nextScanInMs(): number {
    const pauseMs = this.#isScanDue ? scanPauseFactor * this.#scanTookMs : scanEveryMs;
    return this.#scannedAt + pauseMs - performance.now();
  }

  #nextLookUpInMs(): number {
    return this.#announced.size === 0 ? scanEveryMs : this.#lookUpAt - performance.now();
  }

  #nextTickInMs(): number {
    return Math.min(
      scanEveryMs,
      Math.max(1, Math.min(this.#nextScanInMs(), this.#nextLookUpInMs())),
    );
  }

  /** Reads the webhooks that were announced. */
  async #lookUp(): Promise<void> {
    const { queue, clock } = this.#options;
    const webhookIds = [...this.#announced];
    this.#announced.clear();
    const now = clock();
    for (const webhookId of webhookIds) {
      for (const endpoint of await queue.findEndpoint(webhookId)) this.#update(endpoint, now);
    }
    this.#lookUpAt = performance.now() + lookUpPauseMs * webhookIds.length;
  }

  /** Updates the queue of an endpoint. Creates it if a delivery is due. */
  #update(endpoint: Endpoint, now: number): EndpointQueue | undefined {
    const isDue = endpoint.dueAt <= now;
    let own = this.#queues.get(endpoint.webhookId);
    if (own) own.endpoint = endpoint;
    else if (isDue) {
      own = new EndpointQueue(endpoint);
      this.#queues.set(endpoint.webhookId, own);
    }
    if (own) own.hasMore ||= isDue;
    return own;
  }

  /** Reads endpoints with pending deliveries, and updates or evicts their queues. */
  async #scan(): Promise<void> {
    const startedAt = performance.now();
    const { outbox, queue, unwanted, clock } = this.#options;
    this.#isScanDue = false;
    this.#announced.clear();
    // The pause between scans also limits the share of time in which a fan-out holds the write lock.
    if (await outbox.fanOut()) this.#isScanDue = true;
    const now = clock();
    if (this.#hasOldLeases) await queue.endLeases(now, leaseMs);
    this.#hasOldLeases = false;
    if (await unwanted.endSome(now)) this.#isScanDue = true;
    const endpoints = await queue.findEndpoints();
    this.#pending = await queue.countPending();
    const earliest = { answering: Number.POSITIVE_INFINITY, slow: Number.POSITIVE_INFINITY };
    const pending = new Set<EndpointQueue>();
    for (const endpoint of endpoints) {
      const own = this.#update(endpoint, now);
      if (own) pending.add(own);
      const kind = own?.isSlow ? 'slow' : 'answering';
      earliest[kind] = Math.min(earliest[kind], endpoint.dueAt);
    }
    this.#earliestDueAt = earliest;
    for (const [webhookId, own] of this.#queues) {
      if (pending.has(own)) continue;
      // The webhook is inactive or deleted, or has no pending deliveries.
      own.hasMore = false;
      this.#discard(own.drain());
      if (own.held === 0 && startedAt - own.usedAt > evictAfterMs) this.#queues.delete(webhookId);
    }
    this.#scannedAt = performance.now();
    this.#scanTookMs = this.#scannedAt - startedAt;
  }

  get #hasMore(): boolean {
    for (const { hasMore } of this.#queues.values()) if (hasMore) return true;
    return false;
  }

  /** Marks deliveries as not sent. The next tick releases their leases. */
  #discard(deliveries: readonly ClaimedDelivery[]): void {
    this.#held -= deliveries.length;
    this.#unsent.push(...deliveries);
  }

  #send(queue: EndpointQueue): void {
    const { clock } = this.#options;
    for (let delivery = queue.next(); delivery; delivery = queue.next()) {
      if (clock() > delivery.leasedUntil - leaseMarginMs) {
        queue.finish(undefined, false);
        this.#held -= 1;
      } else {
        void this.#attempt(queue, delivery);
      }
    }
  }

  /**
   * Sends after the other responses of this turn of the event loop have been read. A request between
   * two reads wakes its receiver separately, which costs more than the request itself.
   */
  #sendSoon(queue: EndpointQueue): void {
    if (this.#ready.size === 0) {
      setImmediate(() => {
        const ready = [...this.#ready];
        this.#ready.clear();
        if (!this.#isStopping) for (const each of ready) this.#send(each);
      });
    }
    this.#ready.add(queue);
  }

  async #attempt(queue: EndpointQueue, delivery: ClaimedDelivery): Promise<void> {
    let outcome: AttemptOutcome | undefined;
    let isSlow = false;
    const isPrompt = queue.isAnswering;
    if (isPrompt) this.#prompt += 1;
    const timer = setTimeout(() => {
      isSlow = true;
      if (isPrompt) this.#prompt -= 1;
      const unsent = queue.markSlow();
      queue.hasMore ||= unsent.length > 0;
      this.#discard(unsent);
    }, slowAfterMs);
    try {
      outcome = await attemptDelivery(delivery, queue.endpoint, this.#options);
    } catch (error) {
      // Either a stop aborted the attempt, or this is a defect. The delivery is due again when its
      // lease expires.
      if (!(error instanceof PoolClosedError)) this.#options.onError(error);
    }
    clearTimeout(timer);
    if (isPrompt && !isSlow) this.#prompt -= 1;
    queue.finish(outcome, isSlow);
    this.#held -= 1;
    if (outcome) this.#outcomes[queue.isAnswering ? 'answering' : 'slow'].push(outcome);
    // The endpoint is disabled when this outcome is recorded.
    if (outcome?.statusCode === goneStatus) this.#discard(queue.drain());
    if (!this.#isStopping) this.#sendSoon(queue);
    // No other outcome will soon follow, so this one is recorded now. Otherwise the next claim, which
    // another event starts, would wait until it is recorded.
    const isLast = queue.held === 0 && this.#prompt === 0 && queue.isAnswering;
    const isFull = this.#outcomes.answering.length >= flushCounts.answering;
    if (isFull || isLast || this.#held === 0) this.#wakeUp();
    else this.#flushTimer ??= setTimeout(() => this.#wakeUp(), flushAfterMs);
  }

  /** The number of outcomes in memory. */
  get #unrecorded(): number {
    return this.#outcomes.answering.length + this.#outcomes.slow.length;
  }
}
