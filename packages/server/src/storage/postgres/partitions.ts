import { sql } from 'kysely';
import type { WriteTransaction } from '../database.js';

const lockTimeout = '10s';

/** Creates the missing partitions, one for each month in UTC, for rows of `visit_chunks`. */
export async function createPartitions(
  transaction: WriteTransaction,
  rows: readonly Readonly<Record<string, unknown>>[],
): Promise<void> {
  const times = rows.map(({ last_at }) => new Date(last_at as number).toISOString());
  const months = new Set(times.map((time) => time.slice(0, 'yyyy-mm'.length)));
  const names = [...months].map((month) => `visit_chunks_${month.replace('-', '_')}`);
  const { rows: missing } = await sql<{ name: string }>`
    select name from unnest(${names}::text[]) as name where to_regclass(name) is null`.execute(
    transaction,
  );
  if (missing.length === 0) return;
  // Reports read the table for seconds. An import would begin again if it waited for less.
  const { rows: limits } = await sql<{ before: string }>`
    select current_setting('lock_timeout') as before,
      set_config('lock_timeout', ${lockTimeout}, true)`.execute(transaction);
  // Another transaction may create them, too.
  await sql`lock table visit_chunks in access exclusive mode`.execute(transaction);
  await sql`select set_config('lock_timeout', ${limits[0]?.before}, true)`.execute(transaction);
  for (const month of months) {
    const from = new Date(`${month}-01`);
    const to = Date.UTC(from.getUTCFullYear(), from.getUTCMonth() + 1);
    await sql`create table if not exists ${sql.table(`visit_chunks_${month.replace('-', '_')}`)}
      partition of visit_chunks
      for values from (${sql.lit(from.getTime())}) to (${sql.lit(to)})`.execute(transaction);
  }
}

/** Drops the partitions that end before an instant and are empty, and returns their number. */
export async function dropEmptyPartitions(
  transaction: WriteTransaction,
  before: number,
): Promise<number> {
  let dropped = 0;
  const { rows: partitions } = await sql<{ name: string }>`
    select inhrelid::regclass::text as name from pg_inherits
    where inhparent = 'visit_chunks'::regclass
      and substring(pg_get_expr((select relpartbound from pg_class where oid = inhrelid), inhrelid)
        from ${sql.lit("TO \\('?(\\d+)'?\\)")})::bigint <= ${before}`.execute(transaction);
  for (const { name } of partitions) {
    const { rows } = await sql`select 1 from ${sql.raw(name)} limit 1`.execute(transaction);
    if (rows.length > 0) continue;
    await sql`drop table ${sql.raw(name)}`.execute(transaction);
    dropped += 1;
  }
  return dropped;
}
