import { type Kysely, sql } from 'kysely';
import { ConfigError } from '../../config-error.js';
import type { Database, Schema, WriteTransaction } from '../../storage/database.js';
import { type MovedTable, movedTables, provenSums } from './moved-tables.js';

/** What was counted on both sides, by what it is: `urls` are rows, `url_clicks.clicks` a sum. */
export type Counts = ReadonlyMap<string, number>;

// What is in memory at once: pictures of 100 KB, or chunks of 60.
const rowsAtOnce = 200;

/**
 * Copies everything from one database into another that is empty, in one transaction that is only
 * committed when the counts agree; what was counted. Nobody may write to the first meanwhile.
 *
 * @throws {ConfigError} when the other is not empty, or the counts differ; then nothing was changed
 */
export function moveInstallation(from: Database, to: Database): Promise<Counts> {
  return from.snapshot((source) =>
    to.write(async (transaction) => {
      await refuseUnlessEmpty(transaction);
      // A database that was migrated has one, which begins at 0.
      await transaction.deleteFrom('url_id_counter').execute();
      for (const table of tables) await copyTable(source, to, transaction, table);
      await to.resumeIds(transaction);
      const [before, after] = [await countAll(source), await countAll(transaction)];
      for (const [what, count] of before) {
        if (after.get(what) === count) continue;
        throw new ConfigError(
          `${what}: ${count} there, ${after.get(what)} here; nothing was moved`,
        );
      }
      return after;
    }, 'everything'),
  );
}

const tables = Object.keys(movedTables) as MovedTable[];

/** Throws a ConfigError where a database is in use already. */
export async function refuseUnlessEmpty(db: Kysely<Schema>): Promise<void> {
  const any = await db.selectFrom('organizations').select('id').limit(1).execute();
  if (any.length > 0) {
    throw new ConfigError('the database to move to has organizations already: it must be empty');
  }
}

async function copyTable(
  source: Kysely<Schema>,
  to: Database,
  transaction: WriteTransaction,
  table: MovedTable,
): Promise<void> {
  const key = movedTables[table] as readonly string[];
  const columns = sql.join(key.map((column) => sql.ref(column)));
  let last: readonly unknown[] | undefined;
  for (;;) {
    const behind = last ? sql`where (${columns}) > (${sql.join(last)})` : sql``;
    const { rows } = await sql<Record<string, never>>`
      select * from ${sql.table(table)} ${behind} order by ${columns} limit ${rowsAtOnce}`.execute(
      source,
    );
    await to.bulkInsert(transaction, table, rows);
    const end = rows.at(-1);
    if (!end || rows.length < rowsAtOnce) return;
    last = key.map((column) => end[column]);
  }
}

async function countAll(db: Kysely<Schema>): Promise<Counts> {
  const counts = new Map<string, number>();
  for (const table of tables) {
    const { rows } = await sql<{ count: number }>`
      select count(*) as count from ${sql.table(table)}`.execute(db);
    counts.set(table, Number(rows[0]?.count));
  }
  for (const [table, column] of provenSums) {
    const { rows } = await sql<{ total: number }>`
      select coalesce(sum(${sql.ref(column)}), 0) as total from ${sql.table(table)}`.execute(db);
    counts.set(`${table}.${column}`, Number(rows[0]?.total));
  }
  return counts;
}
