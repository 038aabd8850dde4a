import { type Kysely, type RawBuilder, sql } from 'kysely';
import { type Row, readInBatches } from '../../storage/read-in-batches.js';
import { keyOf, type Schema, tables } from '../../storage/schema.js';

/**
 * The tables whose rows belong to organizations, referenced tables first. A test compares the list with
 * the tables of the database.
 */
export const transferTables = [
  'organizations',
  'clients',
  'api_keys',
  'domains',
  'usage_meters',
  'plan_changes',
  'webhooks',
  'urls',
  'url_keys',
  'retired_keys',
  'url_clicks',
  'visit_chunks',
  'click_days',
  'qr_codes',
  'qr_pictures',
  'qr_counts',
  'scan_days',
] as const;
export type TransferTable = (typeof transferTables)[number];

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
  const columns = tables[table];
  if ('organization_id' in columns) {
    return sql`${own} where own.organization_id = ${organizationId}`;
  }
  const [owner, column] = 'qr_id' in columns ? ['qr_codes', 'qr_id'] : ['urls', 'url_id'];
  return sql`${own} cross join ${sql.table(owner)} as owner
    where owner.id = ${sql.ref(`own.${column}`)} and owner.organization_id = ${organizationId}`;
}
