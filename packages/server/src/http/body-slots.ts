import { FairQueue } from '../fair-queue.js';

/** The slot of one request. Large and compressed bodies need it. */
export interface BodySlot {
  /** Waits until the slot is granted. Throws a QueueFullError. Further calls do nothing. */
  acquire(): Promise<void>;
  release(): void;
}

export interface BodySlotsOptions {
  /** All slots of the server. */
  readonly total: number;
  readonly perOrganization: number;
}

// A waiting body holds at most 16 KB of memory. TCP flow control stops the client from sending more.
const maxWaiting = 2_048;
const maxWaitingPerOrganization = 256;

/**
 * Limits how many large bodies are in memory at once, with a fair queue. The task of a request runs
 * while its body is read and parsed.
 */
export class BodySlots {
  readonly queue: FairQueue;

  constructor({ total, perOrganization }: BodySlotsOptions) {
    this.queue = new FairQueue({
      name: 'request bodies',
      concurrency: total,
      maxRunningPerOrganization: perOrganization,
      maxWaiting,
      maxWaitingPerOrganization,
    });
  }

  /** Returns a slot that is not acquired yet. The caller releases it when the body is parsed. */
  slotFor(organizationId: string): BodySlot {
    let release: (() => void) | undefined;
    const acquire = () => {
      const released = new Promise<void>((resolve) => {
        release = resolve;
      });
      return new Promise<void>((granted, refused) => {
        const task = () => {
          granted();
          return released;
        };
        this.queue.run(organizationId, task).catch(refused);
      });
    };
    return {
      acquire: async () => {
        if (!release) await acquire();
      },
      release: () => release?.(),
    };
  }
}
