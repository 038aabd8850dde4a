import type { AttemptOutcome, ClaimedDelivery, Receiver } from './delivery-queue.js';

const startLimit = 4;
const minLimit = 2;
const maxLimit = 16;
const heldPerSlot = 4;
const maxHeld = 256;

/**
 * One receiver's deliveries that are in memory: those under way, a few at once, and those that
 * wait. A receiver that answers is sent more at once; one that does not holds few of our slots.
 */
export class ReceiverLane {
  receiver: Receiver;
  /** Whether more is due in storage, as far as we know. */
  hasMore = false;
  readonly #waiting: ClaimedDelivery[] = [];
  #underWay = 0;
  #limit = startLimit;
  #doneSinceClaim = 0;

  constructor(receiver: Receiver) {
    this.receiver = receiver;
  }

  get held(): number {
    return this.#underWay + this.#waiting.length;
  }

  /**
   * How many more may be claimed: enough wait that no slot is idle until the next claim, which is
   * twice what was done since the last one, and never so many that they are not begun in time.
   */
  get room(): number {
    const wanted = Math.max(this.#limit * heldPerSlot, 2 * this.#doneSinceClaim);
    return Math.max(0, Math.min(wanted, maxHeld) - this.held);
  }

  add(deliveries: readonly ClaimedDelivery[]): void {
    this.#waiting.push(...deliveries);
    this.#doneSinceClaim = 0;
  }

  /** The next one to send, if there is a slot; it is under way then. */
  next(): ClaimedDelivery | undefined {
    if (this.#underWay >= this.#limit) return undefined;
    const delivery = this.#waiting.shift();
    if (delivery) this.#underWay += 1;
    return delivery;
  }

  /** Frees a slot; without an outcome nothing is learned from it. */
  finish(outcome: AttemptOutcome | undefined): void {
    this.#underWay -= 1;
    if (!outcome) return;
    this.#doneSinceClaim += 1;
    if (outcome.error === null) this.#limit = Math.min(maxLimit, this.#limit + 1);
    else if (outcome.statusCode === null) {
      this.#limit = Math.max(minLimit, Math.floor(this.#limit / 2));
    }
  }

  /** Takes back everything that waits. */
  drain(): ClaimedDelivery[] {
    return this.#waiting.splice(0);
  }
}
