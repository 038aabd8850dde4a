import { type Kysely, sql } from 'kysely';
import { ConfigError } from '../../config-error.js';
import { type Row, readInBatches } from '../../storage/batches.js';
import type { Database, Schema, Value } from '../../storage/database.js';
import { definitionOf, keyOf, ownerOf, type Table } from '../../storage/schema.js';
import { mapSecrets } from '../../storage/secrets.js';
import { type TransferBatch, transferTables, writeTransferFile } from './transfer-file.js';

/**
 * Passes the lines of an organization's export to `consume`. All of them come from one snapshot, and
 * rows are read as fast as `consume` takes them.
 *
 * @throws {ConfigError} while a link is being erased
 */
export function exportOrganization(
  { snapshot, keyring }: Database,
  organizationId: string,
  consume: (lines: AsyncIterable<string>) => Promise<void>,
): Promise<void> {
  return snapshot(async (db) => {
    const erased = db.selectFrom('retired_keys').select('url_id').where('url_id', 'is not', null);
    if (await erased.where('organization_id', '=', organizationId).executeTakeFirst()) {
      throw new ConfigError('a link of the organization is being erased: try again in a minute');
    }
    // Another server has another key.
    const decrypt = keyring.decrypt.bind(keyring);
    const decrypted = async function* (): AsyncGenerator<TransferBatch> {
      for (const table of transferTables) {
        for await (const rows of rowsOf(db, table, organizationId)) {
          yield { table, rows: rows.map((row) => mapSecrets(table, row, decrypt)) };
        }
      }
    };
    await consume(writeTransferFile(organizationId, decrypted()));
  });
}

/** Yields the rows of an organization in a table, found by indexes of their owners. */
async function* rowsOf(
  db: Kysely<Schema>,
  table: Table,
  organizationId: string,
  columns = sql`own.*`,
): AsyncGenerator<readonly Row[]> {
  const owner = ownerOf(table);
  if (owner && owner.parent !== 'organizations') {
    for await (const owners of rowsOf(db, owner.parent, organizationId, sql`created_at, id`)) {
      const ids = owners.map(({ id }) => id as Value);
      // In no order: PostgreSQL could read the index of the key instead.
      const { rows } = await sql<Row>`select own.* from ${sql.table(table)} as own
        where ${sql.ref(owner.column)} in (${sql.join(ids)})`.execute(db);
      yield rows;
    }
    return;
  }
  const column = 'organization_id' in definitionOf(table).columns ? 'organization_id' : 'id';
  const from = sql`from ${sql.table(table)} as own where ${sql.ref(column)} = ${organizationId}`;
  // Links are read in the order of their organization's index.
  yield* readInBatches(db, from, table === 'urls' ? ['created_at', 'id'] : keyOf(table), columns);
}
