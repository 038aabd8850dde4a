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
 * Limits how many large bodies are in memory at once, with a fair queue. The task of a request runs
 * while its body is read and parsed.
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

  /** Returns a slot that is not acquired yet. The caller releases it when the body is parsed. */
  slotFor(organizationId: string): BodySlot {
    return new BodySlot(this, organizationId);
  }

  /** Returns how long a body may hold a slot until it has sent `bytes`. */
  allowedMs(bytes: number): number {
    const { total, graceMs } = this.#options;
    const { running, waiting } = this.queue.figures;
    const isFull = running === total && waiting > 0;
    return graceMs + (bytes / (isFull ? minBytesPerSecondWhenFull : minBytesPerSecond)) * 1000;
  }
}

/** The slot of one request. Large and compressed bodies need it. */
export class BodySlot {
  readonly #slots: BodySlots;
  readonly #organizationId: string;
  #bytes = 0;
  #release: (() => void) | undefined;

  constructor(slots: BodySlots, organizationId: string) {
    this.#slots = slots;
    this.#organizationId = organizationId;
  }

  /**
   * Waits until the slot is granted. Throws a QueueFullError. From then on, `onSlow` is called every
   * second while the body arrives too slowly. Further calls do nothing.
   */
  async acquire(onSlow: () => void): Promise<void> {
    if (this.#release) return;
    const released = new Promise<void>((resolve) => {
      this.#release = resolve;
    });
    await new Promise<void>((granted, refused) => {
      const hold = async () => {
        granted();
        const startedAt = performance.now();
        const timer = setInterval(() => {
          if (performance.now() - startedAt >= this.#slots.allowedMs(this.#bytes)) onSlow();
        }, checkEveryMs);
        await released;
        clearInterval(timer);
      };
      this.#slots.queue.run(this.#organizationId, hold).catch(refused);
    });
  }

  /** Counts received bytes. */
  add(bytes: number): void {
    this.#bytes += bytes;
  }

  release(): void {
    this.#release?.();
  }
}
