import { type Kysely, sql } from 'kysely';
import { periodicService } from '../../lifecycle.js';
import type { ChangeListener, RecordKind, Schema } from '../database.js';

// The other nodes apply a change within about this time.
const pollEveryMs = 500;
// Records that are cached for longer than this without a poll are read again before they are used.
const maxSilenceMs = 5_000;
// Changes are stored for an hour. After a longer gap, some may be missing.
const maxGapMs = 30 * 60_000;

/**
 * Tells of the records that other nodes change, until the returned function is called. Handlers evict the
 * records that they change before they send the response.
 *
 * Transactions commit in another order than they insert changes. So each poll stores PostgreSQL's
 * snapshot, which says which transactions were visible to it, and the next poll reads the changes of all
 * others. A poll that fails evicts nothing, and the next one reads its changes.
 */
export async function watchChanges(
  db: Kysely<Schema>,
  listener: ChangeListener,
): Promise<() => Promise<void>> {
  let polledAt = performance.now();
  const [first] = await poll(db);
  let { snapshot, server } = first as Poll;
  const service = periodicService({
    everyMs: pollEveryMs,
    async tick() {
      const startedAt = performance.now();
      const rows = await poll(db, snapshot);
      const [last = { snapshot, server }] = rows;
      // After a failover, the new server's transaction ids may differ.
      if (last.server !== server || startedAt - polledAt > maxGapMs) listener.onMissed();
      polledAt = startedAt;
      ({ snapshot, server } = last);
      for (const { kind, key } of rows) if (kind && key) listener.onChange(kind, key);
    },
    onError: (error) => listener.onError(error),
  });
  service.start();
  // Apart from the polls, which may wait for a lock or a server that hangs.
  const timer = setInterval(() => {
    if (performance.now() - polledAt > maxSilenceMs) listener.onSilence();
  }, pollEveryMs).unref();
  return () => {
    clearInterval(timer);
    return service.stop();
  };
}

interface Poll {
  readonly snapshot: string;
  /** Differs after a failover. */
  readonly server: string;
  /** Null without changes. */
  readonly kind: RecordKind | null;
  readonly key: string | null;
}

/**
 * Returns the new snapshot with each visible change of the transactions that were not visible to the one
 * before, because they were running or had not begun.
 */
async function poll(db: Kysely<Schema>, since?: string): Promise<readonly Poll[]> {
  const { rows } = await sql<Poll>`
    select pg_current_snapshot()::text as snapshot, pg_postmaster_start_time()::text as server, kind, key
    from (select) as one left join (
      select distinct kind, key from cache_changes
      where transaction_id >= pg_snapshot_xmax(${since}::pg_snapshot)
        or transaction_id = any(array(select pg_snapshot_xip(${since}::pg_snapshot)))
    ) as changes on true`.execute(db);
  return rows;
}
