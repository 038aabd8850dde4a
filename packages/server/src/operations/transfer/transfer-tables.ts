import { type Kysely, type RawBuilder, sql } from 'kysely';
import { type Row, readInBatches } from '../../storage/read-in-batches.js';
import { definitionOf, keyOf, type Schema, type Table, tableNames } from '../../storage/schema.js';
import type { tables } from '../../storage/tables.js';

/** A table of the export of an organization. */
export type TransferTable = {
  [Name in Table]: (typeof tables)[Name] extends { readonly isExported: true } ? Name : never;
}[Table];

/** Referenced tables first. */
export const transferTables = tableNames.filter(
  (table): table is TransferTable => definitionOf(table).isExported === true,
);

/** Yields the rows of an organization in a table, in batches. */
export function batchesOf(
  db: Kysely<Schema>,
  table: TransferTable,
  organizationId: string,
): AsyncGenerator<readonly Row[]> {
  // Links are read in the order of their organization's index.
  const key = table === 'urls' ? ['created_at', 'id'] : keyOf(table);
  return readInBatches(db, ownedBy(table, organizationId), key);
}

/** Returns the number of rows of an organization in a table. */
export async function countRows(
  db: Kysely<Schema>,
  table: TransferTable,
  organizationId: string,
): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count ${ownedBy(table, organizationId)}`.execute(db);
  return Number(rows[0]?.count);
}

/**
 * Selects rows by their organization, or by the organization of their QR code or link. Rows come first
 * and their owners second, so that each batch starts at an index entry.
 */
function ownedBy(table: TransferTable, organizationId: string): RawBuilder<unknown> {
  const own = sql`from ${sql.table(table)} as own`;
  if (table === 'organizations') return sql`${own} where own.id = ${organizationId}`;
  const { columns } = definitionOf(table);
  if ('organization_id' in columns) {
    return sql`${own} where own.organization_id = ${organizationId}`;
  }
  const [owner, column] = 'qr_id' in columns ? ['qr_codes', 'qr_id'] : ['urls', 'url_id'];
  return sql`${own} cross join ${sql.table(owner)} as owner
    where owner.id = ${sql.ref(`own.${column}`)} and owner.organization_id = ${organizationId}`;
}
