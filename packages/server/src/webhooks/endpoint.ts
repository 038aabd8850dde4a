import type { AttemptOutcome, ClaimedDelivery } from './attempt.js';

export type LeasedDelivery = ClaimedDelivery & {
  /** When its lease ends at the earliest, by `performance.now()`. */
  readonly leasedUntil: number;
};

/** An endpoint whose attempt takes longer is slow. Slow endpoints have capacity of their own. */
export const slowAfterMs = 1_000;

// The most attempts in flight at once. A new endpoint, and one whose last attempt failed, has one, so that
// many that hang leave capacity to others.
const maxAtFirst = 1;
const maxAnswering = 16;
const maxQuick = 64;
const quickMs = 100;
const maxSlow = 4;
// A quick endpoint has more deliveries in memory, so its receiver is busy while outcomes are recorded.
const maxQuickHeld = 512;

/** The deliveries of one webhook in memory: they are in flight, or wait until another one is answered. */
export class Endpoint {
  readonly webhookId: string;
  readonly waiting: LeasedDelivery[] = [];
  /** Whether storage may have more due deliveries. */
  mayBeDue = false;
  /** When the oldest delivery became due that was not leased at the last scan. */
  dueAt = Number.POSITIVE_INFINITY;
  inFlight = 0;
  /** When deliveries were last leased, by `performance.now()`. */
  usedAt = performance.now();
  /** Nothing is leased before this time, by `performance.now()`. */
  pausedUntil = 0;
  isSlow = false;
  #last: AttemptOutcome | undefined;

  constructor(webhookId: string) {
    this.webhookId = webhookId;
  }

  get held(): number {
    return this.inFlight + this.waiting.length;
  }

  get claimable(): number {
    if (!this.mayBeDue || performance.now() < this.pausedUntil) return 0;
    const isQuick = this.#maxInFlight === maxQuick;
    return Math.max(0, (isQuick ? maxQuickHeld : this.#maxInFlight) - this.held);
  }

  /** Takes the next delivery to send. Returns undefined while too many are in flight. */
  next(): LeasedDelivery | undefined {
    if (this.inFlight >= this.#maxInFlight) return undefined;
    const delivery = this.waiting.shift();
    if (delivery) this.inFlight += 1;
    return delivery;
  }

  finish(outcome: AttemptOutcome, wasSlow: boolean): void {
    this.#last = outcome;
    if (outcome.statusCode !== null && !wasSlow) this.isSlow = false;
  }

  get #maxInFlight(): number {
    const { error = '', statusCode = null, durationMs = 0 } = this.#last ?? {};
    // One that hangs has one attempt in flight.
    if (this.isSlow) return statusCode === null ? 1 : maxSlow;
    if (error !== null) return maxAtFirst;
    return durationMs < quickMs ? maxQuick : maxAnswering;
  }
}
