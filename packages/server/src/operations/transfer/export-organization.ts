import type { Kysely } from 'kysely';
import type { Database, Schema } from '../../storage/database.js';
import type { Row } from '../read-in-batches.js';
import { CompactedVisits } from './compacted-visits.js';
import { type TransferRow, writeTransferFile } from './transfer-file.js';
import { batchesOf, type TransferTable, transferTables, urlTable } from './transfer-tables.js';

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
    const batches =
      table.name === 'visit_chunks'
        ? compactedChunks(db, organizationId)
        : batchesOf(db, table, organizationId);
    for await (const rows of batches) {
      for (const row of rows) yield { table: table.name, row: withoutComputed(table, row) };
    }
  }
}

function withoutComputed({ computed }: TransferTable, row: Row): Row {
  if (!computed) return row;
  const { [computed.column]: _, ...rest } = row;
  return rest;
}

/** Yields the visits as they would be stored if all of them were compacted. */
async function* compactedChunks(db: Kysely<Schema>, organizationId: string): AsyncGenerator<Row[]> {
  const visits = await CompactedVisits.open(db);
  for await (const urls of batchesOf(db, urlTable, organizationId)) {
    for (const { id } of urls) {
      for await (const chunk of visits.chunksOf(Number(id))) yield [{ ...chunk }];
    }
  }
}
