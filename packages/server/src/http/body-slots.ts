import { FairQueue } from '../fair-queue.js';

/** A slot for one large body. */
export interface BodySlot {
  /** Waits for the slot; does nothing when it is held already. Throws a QueueFullError. */
  acquire(): Promise<void>;
  release(): void;
}

export interface BodySlotsOptions {
  /** Slots in all. */
  readonly total: number;
  readonly perOrganization: number;
}

// A body that waits holds at most 16 KB and stays in the network.
const maxWaiting = 2_048;
const maxWaitingPerOrganization = 256;

/**
 * Bounds how many large bodies are in memory at once. A slot is a task of a fair queue that runs
 * while a body is read and parsed.
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

  /** Returns a slot for one request. The caller releases it when the body is parsed. */
  slotFor(organizationId: string): BodySlot {
    let release: (() => void) | undefined;
    const hold = () => {
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
        if (!release) await hold();
      },
      release: () => release?.(),
    };
  }
}
