import type { Kysely } from 'kysely';
import { FairQueue } from '../fair-queue.js';
import type { Database, Schema } from './database.js';
import { GroupCommit, type GroupCommitOptions, maxGroupSize } from './group-commit.js';

/**
 * Returns the write methods of a database. The writes of requests wait in queues before group commit. At
 * most 24 writes of an organization are outside the queues, so each of them waits for at most two groups:
 * the running one and the next. `organizations` is the number of organizations that may have so many: 1 if
 * all writes run one after another.
 *
 * Bulk writes have their own queue, because each takes longer than the rest of its group, and because
 * their request bodies are large.
 */
export function openWriter(db: Kysely<Schema>, options: GroupCommitOptions, organizations: number) {
  const commits = new GroupCommit(db, options);
  const single = new FairQueue({
    name: 'writes',
    concurrency: organizations * maxGroupSize,
    maxRunningPerOrganization: maxGroupSize,
    maxWaiting: 2_048,
    maxWaitingPerOrganization: 256,
  });
  const bulk = new FairQueue({
    name: 'bulk writes',
    concurrency: (organizations * maxGroupSize) / 2,
    maxRunningPerOrganization: maxGroupSize / 4,
    maxWaiting: 128,
    maxWaitingPerOrganization: 32,
  });
  const write: Database['write'] = (organizationId, work, { isBulk } = {}) =>
    (isBulk ? bulk : single).run(organizationId, () => commits.write(work, { organizationId }));
  const writeDirectly: Database['writeDirectly'] = (work, lock = 'exclusive') =>
    commits.write(work, lock);
  return {
    methods: { write, writeDirectly, writeQueues: [single, bulk], retries: commits.retries },
    /** Refuses waiting writes, and resolves when the others are done. */
    async close(): Promise<void> {
      single.close();
      bulk.close();
      await commits.finish();
    },
  };
}
