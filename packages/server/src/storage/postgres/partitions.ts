import { CompiledQuery } from 'kysely';
import type { WriteTransaction } from '../database.js';

/** Creates the missing partitions, one for each month in UTC, for rows of `visit_chunks`. */
export async function createPartitions(
  transaction: WriteTransaction,
  rows: readonly Readonly<Record<string, unknown>>[],
): Promise<void> {
  const months = new Set(
    rows.map(({ last_at }) => new Date(last_at as number).toISOString().slice(0, 7)),
  );
  for (const month of months) {
    const from = new Date(`${month}-01`);
    const to = Date.UTC(from.getUTCFullYear(), from.getUTCMonth() + 1);
    await transaction.executeQuery(
      CompiledQuery.raw(
        `create table if not exists visit_chunks_${month.replace('-', '_')} partition of visit_chunks
         for values from (${from.getTime()}) to (${to})`,
      ),
    );
  }
}

/** Drops the partitions that end before an instant and are empty, and returns their number. */
export async function dropEmptyPartitions(
  transaction: WriteTransaction,
  before: number,
): Promise<number> {
  let dropped = 0;
  const { rows } = await transaction.executeQuery<{ name: string }>(
    CompiledQuery.raw(
      `select inhrelid::regclass::text as name from pg_inherits
       where inhparent = 'visit_chunks'::regclass
         and substring(pg_get_expr((select relpartbound from pg_class where oid = inhrelid), inhrelid)
           from 'TO \\(''?(\\d+)''?\\)')::bigint <= $1`,
      [before],
    ),
  );
  for (const { name } of rows) {
    const remaining = await transaction.executeQuery(
      CompiledQuery.raw(`select 1 from ${name} limit 1`),
    );
    if (remaining.rows.length > 0) continue;
    await transaction.executeQuery(CompiledQuery.raw(`drop table ${name}`));
    dropped += 1;
  }
  return dropped;
}
