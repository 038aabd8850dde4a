import { type Kysely, sql } from 'kysely';
import { PeriodicService } from '../../lifecycle.js';
import type { Invalidatable, RecordKind, Schema } from '../database.js';

// The other nodes apply a change within about this time.
const pollEveryMs = 100;
// Records that are cached for longer than this without a poll are read again before they are used.
const maxSilenceMs = 5_000;
// Changes are stored for an hour. After a longer gap, some may be missing.
const maxGapMs = 30 * 60_000;

/**
 * Evicts the records that other nodes change from the caches of this node, until the returned function
 * is called. Handlers evict the records that they change before they send the response.
 *
 * Triggers insert each change into `cache_changes`, in the transaction that changes the record
 * (`node-tables.ts`). Transactions commit in another order than they insert changes. So each poll
 * stores PostgreSQL's snapshot, which says which transactions were visible to it, and the next poll
 * reads the changes of all others. A poll that fails evicts nothing, and the next one reads its changes.
 */
export async function watchChanges(
  db: Kysely<Schema>,
  caches: Readonly<Record<RecordKind, Invalidatable>>,
  onError: (error: unknown) => void,
): Promise<() => Promise<void>> {
  let polledAt = performance.now();
  let { snapshot, server } = await readPosition(db);
  const markStale = () => {
    for (const cache of Object.values(caches)) cache.markStale();
  };
  const service = new PeriodicService({
    name: 'change feed',
    everyMs: pollEveryMs,
    async tick() {
      const startedAt = performance.now();
      const rows = await readChanges(db, snapshot);
      const [position = { snapshot, server }] = rows;
      // After a failover, the new server's transaction ids may differ.
      const isIncomplete = position.server !== server || startedAt - polledAt > maxGapMs;
      polledAt = startedAt;
      ({ snapshot, server } = position);
      if (isIncomplete) markStale();
      for (const [kind, cache] of Object.entries(caches)) {
        const keys = new Set(
          rows.flatMap((row) => (row.kind === kind && row.key !== null ? [row.key] : [])),
        );
        if (keys.size > 0) cache.invalidate([...keys]);
      }
    },
    onError,
  });
  service.start();
  // Apart from the polls, which may wait for a lock or a server that hangs.
  const timer = setInterval(() => {
    if (performance.now() - polledAt > maxSilenceMs) markStale();
  }, pollEveryMs).unref();
  return () => {
    clearInterval(timer);
    return service.stop();
  };
}

interface Position {
  readonly snapshot: string;
  /** Differs after a failover. */
  readonly server: string;
}

const position = sql`pg_current_snapshot()::text as snapshot, pg_postmaster_start_time()::text as server`;

async function readPosition(db: Kysely<Schema>): Promise<Position> {
  const { rows } = await sql<Position>`select ${position}`.execute(db);
  return rows[0] as Position;
}

/**
 * Returns the visible changes of the transactions that were not visible to a snapshot, because they
 * were running or had not begun. Each row has the new position. Without changes, there is one row with
 * nulls.
 */
async function readChanges(db: Kysely<Schema>, since: string) {
  const { rows } = await sql<Position & { kind: RecordKind | null; key: string | null }>`
    select ${position}, kind, key from (select) as one
    left join (
      select kind, key from cache_changes
        where transaction_id >= pg_snapshot_xmax(${since}::pg_snapshot)
      union all
      select kind, key from cache_changes
        where transaction_id = any(array(select pg_snapshot_xip(${since}::pg_snapshot)))
    ) as changes on true`.execute(db);
  return rows;
}
