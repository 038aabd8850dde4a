import type { AttemptOutcome, ClaimedDelivery } from './attempt.js';

export type LeasedDelivery = ClaimedDelivery & {
  /** When its lease ends at the earliest, by `performance.now()`. */
  readonly leasedUntil: number;
};

/** An endpoint whose attempt takes longer is slow. Slow endpoints have capacity of their own. */
export const slowAfterMs = 1_000;

const maxInFlight = 64;
// The others in memory keep the receiver busy while outcomes are recorded.
const maxHeld = 512;

/** The deliveries of one webhook in memory: they are in flight, or wait until another one is answered. */
export class Endpoint {
  readonly webhookId: string;
  readonly waiting: LeasedDelivery[] = [];
  /** Whether storage may have more due deliveries. */
  mayBeDue = false;
  /** When the oldest delivery became due that was not leased at the last scan. */
  dueAt = Number.POSITIVE_INFINITY;
  /** When it was made, or an attempt last ended, by `performance.now()`. */
  usedAt = performance.now();
  inFlight = 0;
  /** Nothing is leased before this time, by `performance.now()`. */
  pausedUntil = 0;
  isSlow = false;
  // A new endpoint, and one that hangs or fails, gets one delivery at a time, so that many that hang leave
  // capacity to others.
  #hasSucceeded = false;

  constructor(webhookId: string) {
    this.webhookId = webhookId;
  }

  get held(): number {
    return this.inFlight + this.waiting.length;
  }

  get claimable(): number {
    if (!this.mayBeDue || performance.now() < this.pausedUntil) return 0;
    return Math.max(0, (this.#maxInFlight === 1 ? 1 : maxHeld) - this.held);
  }

  /** Takes the next delivery to send. Returns undefined while too many are in flight. */
  next(): LeasedDelivery | undefined {
    if (this.inFlight >= this.#maxInFlight) return undefined;
    const delivery = this.waiting.shift();
    if (delivery) this.inFlight += 1;
    return delivery;
  }

  finish({ error, statusCode, durationMs }: AttemptOutcome): void {
    this.usedAt = performance.now();
    this.#hasSucceeded = error === null;
    if (statusCode !== null && durationMs < slowAfterMs) this.isSlow = false;
  }

  get #maxInFlight(): number {
    return this.#hasSucceeded && !this.isSlow ? maxInFlight : 1;
  }
}
