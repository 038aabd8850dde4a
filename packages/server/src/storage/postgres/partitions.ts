import { sql } from 'kysely';
import type { WriteTransaction } from '../database.js';

/**
 * Creates the missing partitions, one for each month in UTC, for rows of `visit_chunks`. Waits for nobody
 * who reads or writes the table: `create table … partition of` would wait for all of them, such as a backup.
 */
export async function createPartitions(
  transaction: WriteTransaction,
  rows: readonly Readonly<Record<string, unknown>>[],
): Promise<void> {
  const times = rows.map(({ last_at }) => new Date(last_at as number).toISOString());
  const months = [...new Set(times.map((time) => time.slice(0, 'yyyy-mm'.length)))];
  if ((await findMissing(transaction, months)).length === 0) return;
  // Another transaction may create them, too. The lock excludes no reads and no writes.
  await sql`lock table visit_chunks in share update exclusive mode`.execute(transaction);
  for (const month of await findMissing(transaction, months)) {
    const from = new Date(`${month}-01`);
    const to = Date.UTC(from.getUTCFullYear(), from.getUTCMonth() + 1);
    const partition = sql.table(nameOf(month));
    await sql`create table ${partition} (like visit_chunks including all)`.execute(transaction);
    await sql`alter table visit_chunks attach partition ${partition}
      for values from (${sql.lit(from.getTime())}) to (${sql.lit(to)})`.execute(transaction);
  }
}

/** Returns the months that have no partition. */
async function findMissing(
  transaction: WriteTransaction,
  months: readonly string[],
): Promise<readonly string[]> {
  const names = months.map(nameOf);
  const { rows } = await sql<{ name: string }>`
    select name from unnest(${names}::text[]) as name where to_regclass(name) is null`.execute(
    transaction,
  );
  const missing = new Set(rows.map(({ name }) => name));
  return months.filter((month) => missing.has(nameOf(month)));
}

function nameOf(month: string): string {
  return `visit_chunks_${month.replace('-', '_')}`;
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
