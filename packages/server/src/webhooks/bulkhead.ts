import type { AttemptOutcome } from './attempt.js';

/** Lets one loop wait until there is work. */
export class Signal {
  #isWoken = false;
  #endWait: (() => void) | undefined;
  #timer: NodeJS.Timeout | undefined;

  /** Ends the present wait, or the next one. */
  wake(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#isWoken = true;
    this.#endWait?.();
  }

  /** Calls `wake` after a time, unless it is called before. */
  wakeIn(ms: number): void {
    this.#timer ??= setTimeout(() => this.wake(), ms);
  }

  /** Waits for a time, or until `wake`. Returns at once if it was woken before. */
  async wait(ms: number): Promise<void> {
    if (!this.#isWoken) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, ms);
        this.#endWait = () => {
          clearTimeout(timer);
          resolve();
        };
      });
      this.#endWait = undefined;
    }
    this.#isWoken = false;
  }
}

/**
 * The work of the endpoints that answer in time, or of slow ones. Neither bulkhead waits for a transaction of
 * the other, or for space in memory that the other one uses.
 */
export class Bulkhead {
  /** The maximum number of deliveries in memory. It also limits the open sockets. */
  readonly capacity: number;
  /** The maximum number of endpoints that one transaction leases for. */
  readonly maxClaims: number;
  readonly maxOutcomes: number;
  readonly signal = new Signal();
  readonly outcomes: AttemptOutcome[] = [];

  constructor(capacity: number, maxClaims: number, maxOutcomes: number) {
    this.capacity = capacity;
    this.maxClaims = maxClaims;
    this.maxOutcomes = maxOutcomes;
  }
}
