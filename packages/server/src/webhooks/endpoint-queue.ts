import type { AttemptOutcome, ClaimedDelivery } from './attempt.js';
import type { Endpoint } from './delivery-queue.js';

/** An attempt that takes longer is slow. Its endpoint then uses the capacity of slow endpoints. */
export const slowAfterMs = 1_000;

const initialSlots = 2;
const maxSlots = 16;
// An endpoint that takes less time has up to `maxQuickSlots`. With many deliveries in flight, the
// receiver works while the dispatcher records outcomes.
const quickMs = 100;
const maxQuickSlots = 64;
// The maximum of an endpoint that responds slowly. An endpoint that does not respond has one slot.
const maxSlowSlots = 4;
const claimedPerSlot = 4;
// So many deliveries can be sent within a lease.
const maxHeldPerSlot = 16;
const maxHeld = 512;

/**
 * The deliveries of one endpoint in memory. They are in flight or wait for a slot. The number of slots
 * grows by one with each success up to a limit that depends on the time that it took. It is halved
 * after a failed connection, and becomes one after an attempt that hung.
 */
export class EndpointQueue {
  endpoint: Endpoint;
  /** Whether storage had more due deliveries when it was last read. */
  hasMore = false;
  /** Whether a claim for it is in progress. */
  isClaiming = false;
  /** Whether a transaction that ends its lease is in progress. */
  isReleasing = false;
  /**
   * Nothing is claimed or sent before this time, by `performance.now()`. Infinite until the outcome that
   * disables the endpoint is recorded.
   */
  pausedUntil = Number.NEGATIVE_INFINITY;
  /** When its lease ends at the earliest, by `performance.now()`. */
  leasedUntil = Number.NEGATIVE_INFINITY;
  /** The ids of its deliveries in memory, and of those whose outcomes are not recorded. */
  readonly deliveryIds = new Set<string>();
  /** When deliveries were last added, by `performance.now()`. */
  usedAt = performance.now();
  readonly #waiting: ClaimedDelivery[] = [];
  #inFlight = 0;
  #slowInFlight = 0;
  #slots = initialSlots;
  #state: 'unknown' | 'answering' | 'slow';
  #finishedSinceClaim = 0;

  constructor(endpoint: Endpoint) {
    this.endpoint = endpoint;
    this.#state = endpoint.hasSucceeded ? 'answering' : 'unknown';
  }

  get isPaused(): boolean {
    return performance.now() < this.pausedUntil;
  }

  /** Whether storage has no due delivery for it, and nothing of it is in progress. */
  get isIdle(): boolean {
    return !this.hasMore && !this.isClaiming && this.held === 0;
  }

  /** Deliveries in memory. */
  get held(): number {
    return this.#inFlight + this.#waiting.length;
  }

  /** Whether it responds in time. At first, the last attempt in storage decides. */
  get isAnswering(): boolean {
    return this.#state === 'answering';
  }

  /** Whether an attempt was slow and no response in time has followed. A new endpoint is not slow. */
  get isSlow(): boolean {
    return this.#state === 'slow';
  }

  /**
   * How many more deliveries to claim. An endpoint that responds in time also gets deliveries in
   * advance, twice as many as it finished since the last claim. Otherwise its slots would be idle
   * until the next claim.
   */
  get claimable(): number {
    if (!this.hasMore || this.isClaiming || this.isReleasing || this.isPaused) return 0;
    if (!this.isAnswering) return Math.max(0, this.#slots - this.held);
    const wanted = Math.max(this.#slots * claimedPerSlot, 2 * this.#finishedSinceClaim);
    return Math.max(0, Math.min(wanted, this.#slots * maxHeldPerSlot, maxHeld) - this.held);
  }

  add(deliveries: readonly ClaimedDelivery[]): void {
    this.#waiting.push(...deliveries);
    for (const { id } of deliveries) this.deliveryIds.add(id);
    this.#finishedSinceClaim = 0;
    this.usedAt = performance.now();
  }

  /** Takes the next delivery to send. Returns undefined while no slot is free. */
  next(): ClaimedDelivery | undefined {
    if (this.#inFlight >= this.#slots) return undefined;
    const delivery = this.#waiting.shift();
    if (delivery) this.#inFlight += 1;
    return delivery;
  }

  /** Records that an attempt in flight is slow. Discards the waiting deliveries. */
  markSlow(): number {
    this.#slowInFlight += 1;
    this.#state = 'slow';
    this.#slots = Math.min(this.#slots, maxSlowSlots);
    return this.discard();
  }

  /** Frees a slot. If there is an outcome, adapts the number of slots to it. */
  finish(outcome: AttemptOutcome | undefined, wasSlow: boolean): void {
    this.#inFlight -= 1;
    if (wasSlow) this.#slowInFlight -= 1;
    if (!outcome) return;
    this.#finishedSinceClaim += 1;
    const { statusCode, error, durationMs } = outcome;
    if (statusCode === null) {
      this.#slots = wasSlow ? 1 : Math.max(1, Math.floor(this.#slots / 2));
    } else {
      const limit = wasSlow ? maxSlowSlots : durationMs < quickMs ? maxQuickSlots : maxSlots;
      if (this.#slots > limit) this.#slots -= 1;
      else if (error === null) this.#slots = Math.min(limit, this.#slots + 1);
      if (this.#slowInFlight === 0 && !wasSlow) this.#state = 'answering';
    }
  }

  /** Removes the waiting deliveries, which storage still has, and returns their number. */
  discard(): number {
    const discarded = this.#waiting.splice(0);
    for (const { id } of discarded) this.deliveryIds.delete(id);
    this.hasMore ||= discarded.length > 0;
    return discarded.length;
  }
}
