import { type Kysely, sql } from 'kysely';
import { PeriodicService } from '../../lifecycle.js';
import type { Invalidatable, RecordKind, Schema } from '../database.js';

// The other nodes apply a change within about this time.
const pollEveryMs = 100;
// Changes are stored for an hour. A node that has not polled for 30 minutes evicts everything.
const maxGapMs = 30 * 60_000;

/**
 * Evicts the records that other nodes change from the caches of this node, until the returned function
 * is called. Handlers evict the records that they change before they send the response.
 *
 * Triggers insert each change into `cache_changes`, in the transaction that changes the record
 * (`node-tables.ts`). Every such transaction holds the 'records' lock, so the ids are in the order of
 * the commits. Otherwise a lower id could be committed after a higher one was read, and be missed.
 */
export async function watchChanges(
  db: Kysely<Schema>,
  caches: Readonly<Record<RecordKind, Invalidatable>>,
  onError: (error: unknown) => void,
): Promise<() => Promise<void>> {
  let lastId = await findLastChange(db);
  let polledAt = performance.now();
  const service = new PeriodicService({
    name: 'change feed',
    everyMs: pollEveryMs,
    async tick() {
      if (performance.now() - polledAt > maxGapMs) {
        // After a failover, the new server's ids may differ.
        lastId = await findLastChange(db);
        polledAt = performance.now();
        for (const cache of Object.values(caches)) cache.clear();
        return;
      }
      const { rows } = await sql<{ id: number; kind: RecordKind; key: string }>`
        select id, kind, key from cache_changes where id > ${lastId} order by id`.execute(db);
      polledAt = performance.now();
      lastId = rows.at(-1)?.id ?? lastId;
      for (const [kind, cache] of Object.entries(caches)) {
        const keys = new Set(rows.flatMap((row) => (row.kind === kind ? [row.key] : [])));
        if (keys.size > 0) cache.invalidate([...keys]);
      }
    },
    onError(error) {
      polledAt = Number.NEGATIVE_INFINITY;
      onError(error);
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
