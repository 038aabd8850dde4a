import { type Kysely, sql } from 'kysely';
import { PeriodicService } from '../../lifecycle.js';
import type { Change, ChangeWatcher, Schema } from '../database.js';

// Edits hold on the other nodes within about this time.
const pollEveryMs = 100;
// Changes are stored for an hour. A node that has not polled for this long may have missed some.
const maxGapMs = 30 * 60_000;

/**
 * Reads the changes of cached records from `cache_changes` until the returned function is called.
 * Triggers insert them in the transaction that changes the record (`node-tables.ts`), so none is
 * missed. Every transaction that writes those tables holds the 'records' lock, so ids are in the order
 * of the commits: a lower id that is committed after a higher one was read would be missed.
 */
export async function watchChanges(
  db: Kysely<Schema>,
  watcher: ChangeWatcher,
): Promise<() => Promise<void>> {
  let last = await findLastChange(db);
  let polledAt = performance.now();
  let isDisconnected = false;
  const service = new PeriodicService({
    name: 'change feed',
    everyMs: pollEveryMs,
    async tick() {
      if (isDisconnected || performance.now() - polledAt > maxGapMs) {
        // After a failover, the new server's ids may differ.
        last = await findLastChange(db);
        polledAt = performance.now();
        isDisconnected = false;
        watcher.onUnknown();
        return;
      }
      const { rows } = await sql<Change & { id: number }>`
        select id, kind, key from cache_changes where id > ${last} order by id`.execute(db);
      polledAt = performance.now();
      last = rows.at(-1)?.id ?? last;
      if (rows.length > 0) watcher.onChanged(rows);
    },
    onError(error) {
      isDisconnected = true;
      watcher.onError(error);
    },
  });
  service.start();
  return () => service.stop();
}

/** Returns the id of the last change; 0 if there is none. */
async function findLastChange(db: Kysely<Schema>): Promise<number> {
  const { rows } = await sql<{ last: number }>`
    select coalesce(max(id), 0) as last from cache_changes`.execute(db);
  return rows[0]?.last ?? 0;
}
