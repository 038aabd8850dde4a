import { FairQueue } from '../fair-queue.js';

export interface BodySlotsOptions {
  /** All slots of the server. */
  readonly total: number;
  readonly perOrganization: number;
  /** How long a body may hold a slot before its minimum rate applies. */
  readonly graceMs: number;
}

// A waiting body holds at most 16 KB of memory. TCP flow control stops the client from sending more.
const maxWaiting = 2_048;
const maxWaitingPerOrganization = 256;

// A phone on a slow network sends faster than this. At this rate, a body of 4 MB exceeds the time limit
// of the whole request anyway.
const minBytesPerSecond = 8 * 1024;
// The rate while other bodies wait for a slot. A body of 4 MB then holds its slot for at most 21 s.
const minBytesPerSecondWhenFull = 256 * 1024;
const checkEveryMs = 1_000;

/**
 * Limits how many large bodies are in memory at once, with a fair queue. A task of the queue runs while
 * a body is read and parsed.
 */
export class BodySlots {
  readonly queue: FairQueue;
  readonly #options: BodySlotsOptions;

  constructor(options: BodySlotsOptions) {
    this.#options = options;
    this.queue = new FairQueue({
      name: 'request bodies',
      concurrency: options.total,
      maxRunningPerOrganization: options.perOrganization,
      maxWaiting,
      maxWaitingPerOrganization,
    });
  }

  /**
   * Waits for a slot and returns the function that releases it. Throws a QueueFullError. Until the release,
   * `onSlow` is called every second while the body arrives too slowly.
   */
  acquire(organizationId: string, receivedBytes: () => number, onSlow: () => void) {
    return new Promise<() => void>((granted, refused) => {
      const hold = () =>
        new Promise<void>((resolve) => {
          const startedAt = performance.now();
          const timer = setInterval(() => {
            if (performance.now() - startedAt >= this.#allowedMs(receivedBytes())) onSlow();
          }, checkEveryMs);
          granted(() => {
            clearInterval(timer);
            resolve();
          });
        });
      this.queue.run(organizationId, hold).catch(refused);
    });
  }

  /** Returns how long a body may hold a slot until it has sent `bytes`. */
  #allowedMs(bytes: number): number {
    const { total, graceMs } = this.#options;
    const { running, waiting } = this.queue.figures;
    const isFull = running === total && waiting > 0;
    return graceMs + (bytes / (isFull ? minBytesPerSecondWhenFull : minBytesPerSecond)) * 1000;
  }
}
