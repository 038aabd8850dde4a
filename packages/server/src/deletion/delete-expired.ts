import { sql } from 'kysely';
import { dayMs } from '../durations.js';
import { idempotencyWindowMs } from '../idempotency/with-idempotency-key.js';
import { runInBatches } from '../storage/batches.js';
import type { Database } from '../storage/database.js';
import { keyOf } from '../storage/schema.js';

// Limits how long a write blocks the event loop.
const rowsAtOnce = 500;

/** Deletes the rows whose time is over, until the signal aborts. */
export async function deleteExpired(
  database: Database,
  { now, auditRetentionDays }: { readonly now: number; readonly auditRetentionDays: number },
  signal: AbortSignal,
): Promise<void> {
  const expired = [
    ['access_tokens', 'expires_at', now],
    ['sessions', 'expires_at', now],
    ['attempts', 'ends_at', now],
    ['idempotency_keys', 'created_at', now - idempotencyWindowMs],
    ['audit_log', 'created_at', now - auditRetentionDays * dayMs],
  ] as const;
  for (const [table, column, until] of expired) {
    const key = sql.join(keyOf(table).map((name) => sql.ref(name)));
    const isExpired = sql`${sql.ref(column)} <= ${until}`;
    // PostgreSQL examines a row that changes meanwhile by the outer condition only.
    const statement = sql`delete from ${sql.table(table)} where ${isExpired} and (${key}) in (
      select ${key} from ${sql.table(table)} where ${isExpired} limit ${rowsAtOnce})`;
    const deleteBatch = async () => {
      const result = await database.writeDirectly((each) => statement.execute(each), 'rows');
      return Number(result.numAffectedRows);
    };
    await runInBatches(rowsAtOnce, deleteBatch, signal);
  }
  if (database.engine === 'sqlite') return;
  // A node that has not polled for 30 minutes evicts everything.
  const old = sql`delete from cache_changes where changed_at < now() - interval '1 hour'`;
  await old.execute(database.read);
}
