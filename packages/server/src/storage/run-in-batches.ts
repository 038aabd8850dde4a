import { sql } from 'kysely';
import { yieldToEventLoop } from '../yield-to-event-loop.js';
import type { Database } from './database.js';
import { keyOf } from './schema.js';

// Limits how long a write blocks the event loop.
const deletedAtOnce = 500;

/**
 * Calls `runBatch` until no rows are left or the signal aborts. It must change up to `size` rows in a
 * write of its own and return their number. Redirects are served between batches. Returns the number
 * of all rows.
 */
export async function runInBatches(
  size: number,
  runBatch: () => Promise<number>,
  signal?: AbortSignal,
): Promise<number> {
  let total = 0;
  for (let changed = size; changed === size && !signal?.aborted; ) {
    changed = await runBatch();
    total += changed;
    await yieldToEventLoop();
  }
  return total;
}

/** Deletes the rows whose time in `column` is at most `until`, until the signal aborts. */
export function deleteExpired(
  database: Database,
  table: 'access_tokens' | 'sessions' | 'attempts' | 'audit_log' | 'idempotency_keys',
  column: 'expires_at' | 'ends_at' | 'created_at',
  until: number,
  signal: AbortSignal,
): Promise<number> {
  const key = sql.join(keyOf(table).map((name) => sql.ref(name)));
  const isExpired = sql`${sql.ref(column)} <= ${until}`;
  // PostgreSQL examines a row that changes meanwhile by the outer condition only.
  const statement = sql`delete from ${sql.table(table)} where ${isExpired} and (${key}) in (
    select ${key} from ${sql.table(table)} where ${isExpired} limit ${deletedAtOnce})`;
  const deleteBatch = async () => {
    const result = await database.writeDirectly(
      (transaction) => statement.execute(transaction),
      'rows',
    );
    return Number(result.numAffectedRows);
  };
  return runInBatches(deletedAtOnce, deleteBatch, signal);
}
