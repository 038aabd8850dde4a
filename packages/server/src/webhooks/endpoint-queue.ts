import type { AttemptOutcome, ClaimedDelivery, Endpoint } from './attempt.js';

/** An attempt that takes longer is slow: its endpoint leaves the capacity of those that answer. */
export const slowAfterMs = 1_000;

const initialSlots = 2;
const maxSlots = 16;
// An endpoint that answers, but slowly, has at most so many. One that does not answer has one.
const maxSlowSlots = 4;
const claimedPerSlot = 4;
const maxHeld = 256;

/**
 * The deliveries of one endpoint that are in memory: those in flight and those that wait for a slot.
 * The number of slots adapts: one more for each answer in time, half as many after a connection
 * that failed, one after an attempt that hung.
 */
export class EndpointQueue {
  endpoint: Endpoint;
  /** Whether storage has more that is due, as far as is known. */
  hasMore = false;
  /** When it last held a delivery, by `performance.now()`. */
  usedAt = performance.now();
  readonly #waiting: ClaimedDelivery[] = [];
  #inFlight = 0;
  #slowInFlight = 0;
  #slots = initialSlots;
  #hasAnswered: boolean;
  #wasSlow = false;
  #finishedSinceClaim = 0;

  constructor(endpoint: Endpoint) {
    this.endpoint = endpoint;
    this.#hasAnswered = endpoint.hasSucceeded;
  }

  /** Deliveries in memory. */
  get held(): number {
    return this.#inFlight + this.#waiting.length;
  }

  /**
   * Whether the last attempt was answered in time and none in flight is slow. A new endpoint has to
   * answer first; after a restart, what storage has of the last attempt counts.
   */
  get isAnswering(): boolean {
    return this.#hasAnswered && this.#slowInFlight === 0;
  }

  /** Whether its attempts take long. A new endpoint is neither slow nor answering. */
  get isSlow(): boolean {
    return this.#wasSlow || this.#slowInFlight > 0;
  }

  /**
   * How many more deliveries it can use. An endpoint that answers also has some that wait, so that no
   * slot is idle until the next claim: twice what was finished since the last one.
   */
  get claimable(): number {
    if (!this.hasMore) return 0;
    if (!this.isAnswering) return Math.max(0, this.#slots - this.held);
    const wanted = Math.max(this.#slots * claimedPerSlot, 2 * this.#finishedSinceClaim);
    return Math.max(0, Math.min(wanted, maxHeld) - this.held);
  }

  add(deliveries: readonly ClaimedDelivery[]): void {
    this.#waiting.push(...deliveries);
    this.#finishedSinceClaim = 0;
    this.usedAt = performance.now();
  }

  /** The next delivery to send, which is in flight from now on; undefined while no slot is free. */
  next(): ClaimedDelivery | undefined {
    if (this.#inFlight >= this.#slots) return undefined;
    const delivery = this.#waiting.shift();
    if (delivery) this.#inFlight += 1;
    return delivery;
  }

  /** An attempt in flight has become slow. Returns what waits: it must not wait in memory. */
  markSlow(): ClaimedDelivery[] {
    this.#slowInFlight += 1;
    this.#hasAnswered = false;
    this.#slots = Math.min(this.#slots, maxSlowSlots);
    return this.drain();
  }

  /** Frees a slot. Without an outcome nothing is learned from the attempt. */
  finish(outcome: AttemptOutcome | undefined, wasSlow: boolean): void {
    this.#inFlight -= 1;
    this.usedAt = performance.now();
    if (wasSlow) this.#slowInFlight -= 1;
    if (!outcome) return;
    this.#finishedSinceClaim += 1;
    this.#wasSlow = wasSlow;
    const { statusCode, error } = outcome;
    if (statusCode === null) {
      this.#slots = wasSlow ? 1 : Math.max(1, Math.floor(this.#slots / 2));
    } else {
      const limit = wasSlow ? maxSlowSlots : maxSlots;
      if (error === null) this.#slots = Math.min(limit, this.#slots + 1);
      if (!wasSlow) this.#hasAnswered = true;
    }
  }

  /** Removes and returns what waits. */
  drain(): ClaimedDelivery[] {
    return this.#waiting.splice(0);
  }
}
