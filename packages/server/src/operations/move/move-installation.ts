import { type Kysely, sql } from 'kysely';
import { ConfigError } from '../../config-error.js';
import { readInBatches } from '../../storage/batches.js';
import type { Database, Schema } from '../../storage/database.js';
import { keyIdIn } from '../../storage/keyring.js';
import { definitionOf, keyOf, type Table, tableNames } from '../../storage/schema.js';
import { encryptorOf, mapSecrets } from '../../storage/secrets.js';
import { bulkInsert } from '../../storage/statements.js';

export type Counts = ReadonlyMap<string, number>;

/**
 * Copies a database into an empty PostgreSQL database, in a transaction that commits only if each table has
 * as many rows there. Secrets are encrypted again under the key of the target. Nothing may write to the
 * source during the copy.
 *
 * @throws {ConfigError} if the target is not empty or the counts differ; the target is unchanged
 * @throws {UnreadableSecretError} if the key of the source is not set
 */
export function moveInstallation(from: Database, to: Database): Promise<Counts> {
  return from.snapshot((source) =>
    to.writeDirectly(async (transaction) => {
      await refuseUnlessEmpty(transaction);
      const encrypt = await encryptorOf(to, transaction);
      // The migrations insert a row into each, which is replaced by the source's row.
      await transaction.deleteFrom('url_id_counter').execute();
      await transaction.deleteFrom('link_policy').execute();
      const counts = new Map<string, number>();
      for (const table of movedTables) {
        const rows = sql`from ${sql.table(table)} as own where true`;
        for await (const batch of readInBatches(source, rows, keyOf(table))) {
          const values = batch.map((row) =>
            mapSecrets(table, row, (stored, place) =>
              keyIdIn(stored) ? encrypt(from.keyring.decrypt(stored, place), place) : stored,
            ),
          );
          await bulkInsert(transaction, table, values as never[]);
        }
        const before = await countRows(source, table);
        const after = await countRows(transaction, table);
        if (before !== after) {
          throw new ConfigError(
            `${table}: ${before} in the source, ${after} in the target; nothing was moved`,
          );
        }
        counts.set(table, after);
      }
      // Generated ids continue after the greatest copied one.
      await sql`select setval(pg_get_serial_sequence('visits', 'id'),
        (select coalesce(max(id), 0) + 1 from visits), false)`.execute(transaction);
      return counts;
    }, 'exclusive'),
  );
}

export const movedTables = tableNames.filter((table) => definitionOf(table).unmoved === undefined);

export async function refuseUnlessEmpty(db: Kysely<Schema>): Promise<void> {
  const any = await db.selectFrom('organizations').select('id').limit(1).execute();
  if (any.length > 0) {
    throw new ConfigError('the target database must be empty: it already has organizations');
  }
}

async function countRows(db: Kysely<Schema>, table: Table): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from ${sql.table(table)}`.execute(db);
  return Number(rows[0]?.count);
}
