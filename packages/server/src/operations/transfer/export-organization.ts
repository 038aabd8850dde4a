import type { Kysely } from 'kysely';
import type { Database, Schema } from '../../storage/database.js';
import type { Keyring, Place } from '../../storage/keyring.js';
import { mapSecrets } from '../../storage/secrets.js';
import { withoutServerColumns } from './check-row.js';
import { type TransferRow, writeTransferFile } from './transfer-file.js';
import { batchesOf, transferTables } from './transfer-tables.js';
import { visitChunksOf } from './visit-chunks.js';

/**
 * Passes the lines of an organization's export to `consume`. All of them come from one snapshot, and
 * rows are read as fast as `consume` takes them.
 */
export function exportOrganization(
  database: Database,
  organizationId: string,
  consume: (lines: AsyncIterable<string>) => Promise<void>,
): Promise<void> {
  return database.snapshot((db) =>
    consume(writeTransferFile(organizationId, allRows(db, organizationId, database.keyring))),
  );
}

async function* allRows(
  db: Kysely<Schema>,
  organizationId: string,
  keyring: Keyring,
): AsyncGenerator<Omit<TransferRow, 'line'>> {
  for (const table of transferTables) {
    const batches =
      table === 'visit_chunks'
        ? visitChunksOf(db, organizationId)
        : batchesOf(db, table, organizationId);
    for await (const rows of batches) {
      for (const stored of rows) {
        const row = withoutServerColumns(table, stored);
        // Another server has another key.
        const decrypt = (secret: string, place: Place) => keyring.decrypt(secret, place);
        yield { table, row: mapSecrets(table, row, decrypt) };
      }
    }
  }
}
