import { FairQueue } from '../fair-queue.js';
import { maxGroupSize } from './group-commit.js';

/**
 * The queues in which the writes of requests wait, before group commit. At most 24 writes
 * are outside the queues, so each of them waits for at most two groups: the running one and the next.
 *
 * Bulk writes have their own queue, because each takes longer than the rest of its group, and because
 * their request bodies are large.
 */
export class WriteQueues {
  readonly #single = new FairQueue({
    name: 'writes',
    concurrency: maxGroupSize,
    maxWaiting: 2_048,
    maxWaitingPerOrganization: 256,
  });
  readonly #bulk = new FairQueue({
    name: 'bulk writes',
    concurrency: maxGroupSize / 2,
    maxRunningPerOrganization: maxGroupSize / 4,
    maxWaiting: 128,
    maxWaitingPerOrganization: 32,
  });
  readonly all = [this.#single, this.#bulk];

  run<T>(organizationId: string, work: () => Promise<T>, isBulk = false): Promise<T> {
    return (isBulk ? this.#bulk : this.#single).run(organizationId, work);
  }

  close(): void {
    for (const queue of this.all) queue.close();
  }
}
