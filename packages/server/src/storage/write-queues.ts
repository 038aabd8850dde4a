import { FairQueue } from '../fair-queue.js';
import { maxGroupSize } from './group-commit.js';

/**
 * The queues in which the writes of requests wait, before group commit. At most 24 writes of an
 * organization are outside the queues, so each of them waits for at most two groups: the running one
 * and the next.
 *
 * Bulk writes have their own queue, because each takes longer than the rest of its group, and because
 * their request bodies are large.
 */
export class WriteQueues {
  readonly #single: FairQueue;
  readonly #bulk: FairQueue;
  readonly all: readonly FairQueue[];

  /**
   * `organizations` is the number of organizations that may have their maximum of writes outside the
   * queues: 1 if all writes run one after another.
   */
  constructor(organizations: number) {
    this.#single = new FairQueue({
      name: 'writes',
      concurrency: organizations * maxGroupSize,
      maxRunningPerOrganization: maxGroupSize,
      maxWaiting: 2_048,
      maxWaitingPerOrganization: 256,
    });
    this.#bulk = new FairQueue({
      name: 'bulk writes',
      concurrency: (organizations * maxGroupSize) / 2,
      maxRunningPerOrganization: maxGroupSize / 4,
      maxWaiting: 128,
      maxWaitingPerOrganization: 32,
    });
    this.all = [this.#single, this.#bulk];
  }

  run<T>(organizationId: string, work: () => Promise<T>, isBulk = false): Promise<T> {
    return (isBulk ? this.#bulk : this.#single).run(organizationId, work);
  }

  close(): void {
    for (const queue of this.all) queue.close();
  }
}
