import { CompiledQuery } from 'kysely';
import type { WriteTransaction } from '../database.js';

/** The tables that have a partition for each month, and the column that selects it. */
const partitioned = { visit_chunks: 'last_at' } as const;

type Partitioned = keyof typeof partitioned;

/** A month in UTC; `to` is exclusive. */
interface Month {
  readonly name: string;
  readonly from: number;
  readonly to: number;
}

/** Creates the missing partitions for these rows. */
export async function createPartitions(
  transaction: WriteTransaction,
  table: string,
  rows: readonly Readonly<Record<string, unknown>>[],
): Promise<void> {
  if (!(table in partitioned)) return;
  const column = partitioned[table as Partitioned];
  const months = new Map(
    rows.map((row) => monthOf(row[column] as number)).map((month) => [month.name, month]),
  );
  for (const { name, from, to } of months.values()) {
    await transaction.executeQuery(
      CompiledQuery.raw(
        `create table if not exists ${table}_${name} partition of ${table} for values from (${from}) to (${to})`,
      ),
    );
  }
}

function monthOf(at: number): Month {
  const date = new Date(at);
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()];
  return {
    name: `${year}_${String(month + 1).padStart(2, '0')}`,
    from: Date.UTC(year, month),
    to: Date.UTC(year, month + 1),
  };
}

/** Drops the partitions that end before an instant and are empty, and returns their number. */
export async function dropEmptyPartitions(
  transaction: WriteTransaction,
  before: number,
): Promise<number> {
  let dropped = 0;
  for (const table of Object.keys(partitioned)) {
    const { rows } = await transaction.executeQuery<{ name: string }>(
      CompiledQuery.raw(
        `select inhrelid::regclass::text as name from pg_inherits
         where inhparent = $1::regclass
           and substring(pg_get_expr((select relpartbound from pg_class where oid = inhrelid), inhrelid)
             from 'TO \\(''?(\\d+)''?\\)')::bigint <= $2`,
        [table, before],
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
  }
  return dropped;
}
