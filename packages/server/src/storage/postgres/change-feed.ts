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
 * (`node-tables.ts`). Transactions commit in another order than they insert changes. So each poll
 * stores PostgreSQL's snapshot, which says which transactions were visible to it, and the next poll
 * reads the changes of all others.
 */
export async function watchChanges(
  db: Kysely<Schema>,
  caches: Readonly<Record<RecordKind, Invalidatable>>,
  onError: (error: unknown) => void,
): Promise<() => Promise<void>> {
  let snapshot = await readSnapshot(db);
  let polledAt = performance.now();
  const service = new PeriodicService({
    name: 'change feed',
    everyMs: pollEveryMs,
    async tick() {
      if (performance.now() - polledAt > maxGapMs) {
        // After a failover, the new server's transaction ids may differ.
        snapshot = await readSnapshot(db);
        polledAt = performance.now();
        for (const cache of Object.values(caches)) cache.clear();
        return;
      }
      const rows = await readChanges(db, snapshot);
      polledAt = performance.now();
      snapshot = rows[0]?.snapshot ?? snapshot;
      for (const [kind, cache] of Object.entries(caches)) {
        const keys = new Set(
          rows.flatMap((row) => (row.kind === kind && row.key !== null ? [row.key] : [])),
        );
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

async function readSnapshot(db: Kysely<Schema>): Promise<string> {
  const { rows } = await sql<{ snapshot: string }>`
    select pg_current_snapshot()::text as snapshot`.execute(db);
  return (rows[0] as { snapshot: string }).snapshot;
}

/**
 * Returns the visible changes of the transactions that were not visible to a snapshot, because they
 * were running or had not begun. Each row has the new snapshot. Without changes, there is one row with
 * nulls.
 */
async function readChanges(db: Kysely<Schema>, since: string) {
  const { rows } = await sql<{ snapshot: string; kind: RecordKind | null; key: string | null }>`
    select pg_current_snapshot()::text as snapshot, kind, key from (select) as one
    left join (
      select kind, key from cache_changes
        where transaction_id >= pg_snapshot_xmax(${since}::pg_snapshot)
      union all
      select kind, key from cache_changes
        where transaction_id = any(array(select pg_snapshot_xip(${since}::pg_snapshot)))
    ) as changes on true`.execute(db);
  return rows;
}
