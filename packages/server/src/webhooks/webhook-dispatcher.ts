import { setMaxListeners } from 'node:events';
import type { Service } from '../lifecycle.js';
import type { GuardedFetch } from '../net/guarded-fetch.js';
import type { Clock } from '../ports.js';
import { Trouble } from '../trouble.js';
import { type AttemptContext, attemptDelivery, attemptTimeoutMs } from './attempt-delivery.js';
import { Bell } from './bell.js';
import type { AttemptOutcome, Claim, ClaimedDelivery, DeliveryQueue } from './delivery-queue.js';
import { type OutcomeCount, OutcomeTally } from './outcome-tally.js';
import { ReceiverLane } from './receiver-lane.js';
import type { RetrySchedule } from './retry-schedule.js';

export interface WebhookDispatcherOptions {
  readonly queue: DeliveryQueue;
  readonly fetch: GuardedFetch;
  readonly schedule: RetrySchedule;
  readonly clock: Clock;
  readonly onError: (error: unknown) => void;
}

/** What there is to watch. */
export interface DispatchFigures {
  /** Since the start, as far as they are recorded. */
  readonly attempts: readonly OutcomeCount[];
  /** Deliveries that are not over, as of some seconds ago. */
  readonly pending: number;
  /** How long the one that has waited longest should have been attempted; 0 when none waits. */
  readonly overdueMs: number;
  /** How long ago the dispatcher last got through a turn. */
  readonly sinceTurnMs: number;
}

// A process that was killed keeps its deliveries from being sent for no longer than this.
const leaseMs = 20_000;
// What is not begun by then is left to whoever claims it next.
const leaseMarginMs = attemptTimeoutMs + 2_000;
// How often storage is asked what is due, for what other processes and time have made so.
const scanEveryMs = 500;
// Counting reads an index as a whole.
const countEveryMs = 5_000;
// Outcomes are recorded together: so many, or those of so many milliseconds.
const flushCount = 256;
const flushAfterMs = 25;
// In memory at once, for all receivers together.
const maxHeld = 2_048;
const stopGraceMs = 1_000;

/**
 * Sends what is due and records what became of it: claim, sign, post, record. Each receiver has a
 * lane of its own, so that none waits for another. A delivery is recorded after its attempt, so that
 * a crash in between sends it again and never loses it.
 */
export class WebhookDispatcher implements Service {
  readonly name = 'webhooks';
  readonly #options: WebhookDispatcherOptions;
  readonly #context: AttemptContext;
  readonly #lanes = new Map<string, ReceiverLane>();
  #outcomes: AttemptOutcome[] = [];
  #held = 0;
  readonly #abort = new AbortController();
  #running: Promise<void> | undefined;
  #isStopping = false;
  #isScanDue = true;
  #scannedAt = 0;
  readonly #tally = new OutcomeTally();
  #pending = 0;
  #countedAt = Number.NEGATIVE_INFINITY;
  #earliestDueAt = Number.POSITIVE_INFINITY;
  #turnedAt = performance.now();
  readonly #bell = new Bell();
  #flushTimer: NodeJS.Timeout | undefined;

  constructor(options: WebhookDispatcherOptions) {
    this.#options = options;
    this.#context = { ...options, signal: this.#abort.signal };
    // Every attempt under way listens.
    setMaxListeners(0, this.#abort.signal);
  }

  start(): void {
    this.#running ??= this.#run();
  }

  /** Waits a moment for what is under way, gives back the rest, and ends. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    this.#bell.ring();
    await this.#running;
    await this.#options.fetch.close();
  }

  get figures(): DispatchFigures {
    const { clock } = this.#options;
    return {
      attempts: this.#tally.counts,
      pending: this.#pending,
      overdueMs: Math.max(0, clock() - this.#earliestDueAt),
      sinceTurnMs: performance.now() - this.#turnedAt,
    };
  }

  /** Says that something may be due. */
  wake(): void {
    this.#isScanDue = true;
    this.#bell.ring();
  }

  /** Sends everything that is due now, and resolves when all of it is recorded; how many attempts. */
  async runOnce(): Promise<number> {
    let attempts = 0;
    this.#isScanDue = true;
    do {
      attempts += await this.#turn();
      if (this.#held > 0 && this.#outcomes.length === 0) await this.#bell.wait(scanEveryMs);
    } while (this.#held > 0 || this.#outcomes.length > 0 || this.#hasMore);
    return attempts;
  }

  async #run(): Promise<void> {
    const trouble = new Trouble(this.#options.onError);
    while (!this.#isStopping) {
      try {
        await this.#turn();
        this.#turnedAt = performance.now();
        trouble.hasPassed();
      } catch (error) {
        trouble.note(error);
      }
      if (!this.#isStopping) await this.#bell.wait(scanEveryMs);
    }
    await this.#finish();
  }

  async #finish(): Promise<void> {
    const { queue, clock, onError } = this.#options;
    const waiting = [...this.#lanes.values()].flatMap((lane) => lane.drain());
    this.#held -= waiting.length;
    const deadline = performance.now() + stopGraceMs;
    while (this.#held > 0 && performance.now() < deadline) await this.#bell.wait(flushAfterMs);
    // What is cut off now is sent again at the next start.
    this.#abort.abort(new Error('the server stops'));
    while (this.#held > 0) await this.#bell.wait(flushAfterMs);
    try {
      await queue.advance(this.#takeOutcomes(), [], clock(), leaseMs);
      await queue.release(waiting, clock());
    } catch (error) {
      onError(error);
    }
  }

  /** Records what has come, claims what there is room for, and sends it; how many were recorded. */
  async #turn(): Promise<number> {
    const { queue, clock } = this.#options;
    if (this.#isScanDue || performance.now() - this.#scannedAt >= scanEveryMs) await this.#scan();
    const outcomes = this.#takeOutcomes();
    const claims = this.#claims();
    if (outcomes.length === 0 && claims.length === 0) return 0;
    let claimed: ClaimedDelivery[];
    try {
      claimed = await queue.advance(outcomes, claims, clock(), leaseMs);
    } catch (error) {
      // They are recorded as soon as storage takes them; meanwhile nothing is claimed.
      this.#outcomes.unshift(...outcomes);
      throw error;
    }
    for (const outcome of outcomes) this.#tally.add(outcome);
    this.#held += claimed.length;
    for (const { webhookId, lane, count } of claims) {
      const own = claimed.filter((delivery) => delivery.webhookId === webhookId);
      lane.hasMore = own.length === count;
      lane.add(own);
      this.#send(lane);
      // Whoever was served goes to the end, for when there is not room for all.
      this.#lanes.delete(webhookId);
      this.#lanes.set(webhookId, lane);
    }
    return outcomes.length;
  }

  /** Learns which receivers have something due, and what has changed about them. */
  async #scan(): Promise<void> {
    this.#isScanDue = false;
    this.#scannedAt = performance.now();
    const { queue, clock } = this.#options;
    const now = clock();
    const receivers = await queue.findReceivers();
    this.#earliestDueAt = receivers.reduce(
      (earliest, { dueAt }) => Math.min(earliest, dueAt),
      Number.POSITIVE_INFINITY,
    );
    if (performance.now() - this.#countedAt >= countEveryMs) {
      this.#pending = await queue.countPending();
      this.#countedAt = performance.now();
    }
    const known = new Set(receivers.map(({ webhookId }) => webhookId));
    for (const [webhookId, lane] of this.#lanes) {
      if (known.has(webhookId)) continue;
      // It has been turned off or deleted, or has nothing more; what waits is given back by its lease.
      this.#held -= lane.drain().length;
      lane.hasMore = false;
      if (lane.held === 0) this.#lanes.delete(webhookId);
    }
    for (const receiver of receivers) {
      const lane = this.#lanes.get(receiver.webhookId);
      const hasMore = receiver.dueAt <= now;
      if (lane) {
        lane.receiver = receiver;
        lane.hasMore ||= hasMore;
      } else if (hasMore) {
        const made = new ReceiverLane(receiver);
        made.hasMore = true;
        this.#lanes.set(receiver.webhookId, made);
      }
    }
  }

  #claims(): (Claim & { readonly lane: ReceiverLane })[] {
    const claims = [];
    let left = maxHeld - this.#held;
    for (const [webhookId, lane] of this.#lanes) {
      const count = lane.hasMore ? Math.min(lane.room, left) : 0;
      if (count === 0) continue;
      left -= count;
      claims.push({ webhookId, lane, count });
    }
    return claims;
  }

  get #hasMore(): boolean {
    return [...this.#lanes.values()].some(({ hasMore }) => hasMore);
  }

  #send(lane: ReceiverLane): void {
    const { clock } = this.#options;
    for (let delivery = lane.next(); delivery; delivery = lane.next()) {
      if (clock() > delivery.leasedUntil - leaseMarginMs) {
        lane.finish(undefined);
        this.#held -= 1;
      } else {
        void this.#attempt(lane, delivery);
      }
    }
  }

  async #attempt(lane: ReceiverLane, delivery: ClaimedDelivery): Promise<void> {
    let outcome: AttemptOutcome | undefined;
    try {
      outcome = await attemptDelivery(delivery, lane.receiver, this.#context);
    } catch (error) {
      // Cut off by a stop, or a fault of ours: due again when the lease ends.
      if (!this.#abort.signal.aborted) this.#options.onError(error);
    }
    lane.finish(outcome);
    this.#held -= 1;
    if (outcome) this.#outcomes.push(outcome);
    if (!this.#isStopping) this.#send(lane);
    if (this.#outcomes.length >= flushCount || this.#held === 0) this.#bell.ring();
    else this.#flushTimer ??= setTimeout(() => this.#bell.ring(), flushAfterMs);
  }

  #takeOutcomes(): AttemptOutcome[] {
    clearTimeout(this.#flushTimer);
    this.#flushTimer = undefined;
    return this.#outcomes.splice(0);
  }
}
