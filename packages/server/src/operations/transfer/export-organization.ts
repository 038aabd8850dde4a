import type { Kysely } from 'kysely';
import type { Database, Schema } from '../../storage/database.js';
import { CompactedVisits } from './compacted-visits.js';
import { type TransferRow, writeTransferFile } from './transfer-file.js';
import { type Row, rowsOf, type TransferTable, transferTables } from './transfer-tables.js';

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
    consume(writeTransferFile(organizationId, allRows(db, organizationId))),
  );
}

async function* allRows(
  db: Kysely<Schema>,
  organizationId: string,
): AsyncGenerator<Omit<TransferRow, 'line'>> {
  for (const table of transferTables) {
    const rows =
      table.name === 'visit_chunks'
        ? compactedChunks(db, organizationId)
        : rowsOf(db, table, organizationId);
    for await (const row of rows) yield { table: table.name, row };
  }
}

/** Yields the visits as they would be stored if all of them were compacted. */
async function* compactedChunks(db: Kysely<Schema>, organizationId: string): AsyncGenerator<Row> {
  const visits = await CompactedVisits.open(db);
  const urls = transferTables.find(({ name }) => name === 'urls') as TransferTable;
  for await (const { id } of rowsOf(db, urls, organizationId)) {
    for await (const chunk of visits.chunksOf(Number(id))) yield { ...chunk };
  }
}
