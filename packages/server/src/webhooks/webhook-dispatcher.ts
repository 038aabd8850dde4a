import type { EventOutbox } from '../events/event-outbox.js';
import type { Service } from '../lifecycle.js';
import { ErrorThrottle } from '../lifecycle.js';
import { FetchClosedError } from '../network/guarded-fetch-error.js';
import type { AttemptOutcome, ClaimedDelivery } from './attempt.js';
import { type AttemptContext, attemptDelivery, attemptTimeoutMs } from './attempt-delivery.js';
import type { DeliveryQueue, DispatcherMemory, Endpoint } from './delivery-queue.js';
import { goneStatus } from './endpoint-health.js';
import { leaseMs } from './endpoint-leases.js';
import { EndpointQueue, slowAfterMs } from './endpoint-queue.js';
import { type EndpointKind, type PlannedClaim, planClaims } from './endpoint-scheduler.js';
import type { UnwantedDeliveries } from './unwanted-deliveries.js';

export interface WebhookDispatcherOptions extends AttemptContext {
  readonly outbox: Pick<EventOutbox, 'fanOut'>;
  readonly queue: DeliveryQueue;
  /** Identifies this dispatcher in leases. */
  readonly owner: string;
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

// A claim renews a lease that is older.
const renewAfterMs = 4_000;
// A delivery is sent only if at least this much of its endpoint's lease is left. Otherwise the lease could
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
// A transaction also records outcomes that arrived after it was due.
const maxRecorded: Record<EndpointKind, number> = { answering: 512, slow: 2 };
// The queue of an endpoint without deliveries is evicted after this time.
const evictAfterMs = 10 * 60_000;
const stopGraceMs = 1_000;
// The pause of an endpoint after an attempt without an outcome, such as with an unreadable secret.
const pauseMs = 2 * leaseMs;

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
  /** Whether outcomes could not be recorded. Then nothing is claimed. */
  readonly #mustRecord: Record<EndpointKind, boolean> = { answering: false, slow: false };
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

  /** The number of deliveries in flight, or waiting for a slot of their endpoint. */
  get held(): number {
    return this.#held;
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
    const { queue, owner, fetch, onError } = this.#options;
    await this.#slowAdvance;
    for (const each of this.#queues.values()) this.#held -= each.discard();
    const deadline = performance.now() + stopGraceMs;
    while (this.#held > 0 && performance.now() < deadline) await this.#wait(flushAfterMs);
    // Aborted attempts are repeated.
    fetch.close();
    while (this.#held > 0) await this.#wait(flushAfterMs);
    try {
      while (this.#unrecorded > 0) {
        await this.#advance('answering');
        await this.#advance('slow');
      }
      await queue.release(owner);
    } catch (error) {
      onError(error);
    }
  }

  /**
   * Records outcomes and claims for the endpoints that respond in time. Starts the same for the slow ones,
   * which later ticks do not wait for.
   */
  async #tick(): Promise<void> {
    if (this.#nextScanInMs() <= 0) await this.#scan();
    else if (this.#nextLookUpInMs() <= 0) await this.#lookUp();
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

  /**
   * Records outcomes, claims as the scheduler plans, and sends. The two transactions run concurrently on
   * PostgreSQL. Returns whether there was any work.
   */
  async #advance(kind: EndpointKind): Promise<boolean> {
    const outcomes = this.#outcomes[kind].splice(
      0,
      maxRecorded[this.#isStopping ? 'answering' : kind],
    );
    // Outcomes that wait too long are lost with their leases, and the deliveries are sent again.
    const isBehind = this.#outcomes[kind].length > 0 || this.#mustRecord[kind];
    const claims = this.#isStopping || isBehind ? [] : planClaims(this.#queues, kind);
    if (outcomes.length === 0 && claims.length === 0) return false;
    const results = await Promise.allSettled([this.#claim(claims), this.#record(outcomes, kind)]);
    for (const result of results) if (result.status === 'rejected') throw result.reason;
    if (this.#outcomes[kind].length > 0) this.#wakeUp();
    return true;
  }

  /** Records outcomes, and ends the leases of endpoints that have no other delivery. */
  async #record(outcomes: readonly AttemptOutcome[], kind: EndpointKind): Promise<void> {
    if (outcomes.length === 0) return;
    const byQueue = new Map<EndpointQueue, string[]>();
    for (const { delivery } of outcomes) {
      const own = this.#queues.get(delivery.webhookId);
      if (!own) continue;
      const ids = byQueue.get(own);
      if (ids) ids.push(delivery.id);
      else byQueue.set(own, [delivery.id]);
    }
    const idle = [...byQueue]
      .filter(([own, ids]) => own.isIdle && own.deliveryIds.size === ids.length)
      .map(([own]) => own);
    for (const own of idle) {
      own.isReleasing = true;
      own.leasedUntil = Number.NEGATIVE_INFINITY;
    }
    const released = idle.map(({ endpoint }) => endpoint.webhookId);
    const { queue, owner } = this.#options;
    try {
      await queue.recordOutcomes(owner, outcomes, released);
      this.#mustRecord[kind] = false;
    } catch (error) {
      // A later tick records these outcomes, and claims nothing until storage accepts them.
      this.#outcomes[kind].unshift(...outcomes);
      this.#mustRecord[kind] = true;
      throw error;
    } finally {
      for (const own of idle) own.isReleasing = false;
    }
    // A delivery may have become due meanwhile.
    if (idle.some(({ hasMore }) => hasMore)) this.#wakeUp();
    for (const [own, ids] of byQueue) for (const id of ids) own.deliveryIds.delete(id);
    for (const own of byQueue.keys()) {
      if (own.pausedUntil !== Number.POSITIVE_INFINITY) continue;
      own.pausedUntil = Number.NEGATIVE_INFINITY;
      // A scan finds the endpoint again if it is still active, because its URL has changed.
      own.hasMore = false;
    }
    this.#recorded += outcomes.length;
    for (const outcome of outcomes) this.#count(outcome);
  }

  async #claim(claims: readonly PlannedClaim[]): Promise<void> {
    if (claims.length === 0) return;
    const { queue, owner, clock } = this.#options;
    const startedAt = performance.now();
    const wanted = claims.map(({ webhookId, count, queue: { deliveryIds, leasedUntil } }) => ({
      webhookId,
      count,
      except: [...deliveryIds],
      isLeased: leasedUntil - leaseMarginMs > startedAt,
      mustLease: leasedUntil - leaseMs + renewAfterMs < startedAt,
    }));
    for (const claim of claims) {
      claim.queue.isClaiming = true;
      // A look-up may find further deliveries meanwhile.
      claim.queue.hasMore = false;
    }
    try {
      const result = await queue.claim(owner, wanted, clock());
      const leased = new Set(result.leased);
      for (const { webhookId, queue: own } of claims) {
        if (leased.has(webhookId)) own.leasedUntil = startedAt + leaseMs;
      }
      for (const { queue: own } of claims) own.isClaiming = false;
      this.#accept(claims, result.claimed);
    } catch (error) {
      for (const { queue: own } of claims) {
        own.isClaiming = false;
        own.hasMore = true;
      }
      throw error;
    }
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
      queue.hasMore ||= own.length === count;
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
      const endpoints = await queue.findEndpoint(webhookId, this.#memory([webhookId]));
      for (const endpoint of endpoints) this.#update(endpoint, now);
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
    if (this.#hasOldLeases) await queue.releaseAll();
    this.#hasOldLeases = false;
    if (await unwanted.endSome(now)) this.#isScanDue = true;
    const endpoints = await queue.findEndpoints(this.#memory(this.#queues.keys()));
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
      this.#held -= own.discard();
      own.hasMore = false;
      const isUsed = own.deliveryIds.size > 0 || startedAt - own.usedAt <= evictAfterMs;
      if (!isUsed) this.#queues.delete(webhookId);
    }
    await this.#releaseIdle();
    this.#scannedAt = performance.now();
    this.#scanTookMs = this.#scannedAt - startedAt;
  }

  /** Ends the leases of endpoints that have no deliveries in memory, and none that are due. */
  async #releaseIdle(): Promise<void> {
    const idle = [...this.#queues.values()].filter(
      (own) => own.leasedUntil > performance.now() && own.isIdle && own.deliveryIds.size === 0,
    );
    if (idle.length === 0) return;
    for (const own of idle) own.leasedUntil = Number.NEGATIVE_INFINITY;
    const { queue, owner } = this.#options;
    await queue.release(
      owner,
      idle.map(({ endpoint }) => endpoint.webhookId),
    );
  }

  /** What is in memory of these webhooks. */
  #memory(webhookIds: Iterable<string>): DispatcherMemory {
    const deliveryIds: string[] = [];
    const held = new Set<string>();
    for (const webhookId of webhookIds) {
      const own = this.#queues.get(webhookId);
      if (!own || own.deliveryIds.size === 0) continue;
      held.add(webhookId);
      deliveryIds.push(...own.deliveryIds);
    }
    return { owner: this.#options.owner, deliveryIds, webhookIds: held };
  }

  get #hasMore(): boolean {
    for (const { hasMore, isPaused } of this.#queues.values())
      if (hasMore && !isPaused) return true;
    return false;
  }

  #send(queue: EndpointQueue): void {
    const isLeased = performance.now() <= queue.leasedUntil - leaseMarginMs;
    if (!isLeased || queue.isPaused) this.#held -= queue.discard();
    for (let delivery = queue.next(); delivery; delivery = queue.next()) {
      void this.#attempt(queue, delivery);
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
      this.#held -= queue.markSlow();
    }, slowAfterMs);
    try {
      outcome = await attemptDelivery(delivery, queue.endpoint, this.#options);
    } catch (error) {
      // Either a stop aborted the attempt, or this is a defect. The delivery is sent again later.
      if (!(error instanceof FetchClosedError)) {
        this.#options.onError(error);
        // Its other deliveries would fail as well. Its lease ends first, so another node can try.
        queue.pausedUntil = performance.now() + pauseMs;
        this.#held -= queue.discard();
      }
      setTimeout(() => queue.deliveryIds.delete(delivery.id), leaseMs).unref();
    }
    clearTimeout(timer);
    if (isPrompt && !isSlow) this.#prompt -= 1;
    queue.finish(outcome, isSlow);
    this.#held -= 1;
    if (outcome) this.#outcomes[queue.isAnswering ? 'answering' : 'slow'].push(outcome);
    // The endpoint is disabled when this outcome is recorded.
    if (outcome?.statusCode === goneStatus) {
      queue.pausedUntil = Number.POSITIVE_INFINITY;
      this.#held -= queue.discard();
    }
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
