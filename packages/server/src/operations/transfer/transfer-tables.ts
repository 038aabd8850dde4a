import { type Kysely, type RawBuilder, sql } from 'kysely';
import { type Row, readInBatches } from '../../storage/read-in-batches.js';
import { keyOf, type Schema } from '../../storage/schema.js';

/** A table whose rows belong to organizations. */
export interface TransferTable {
  readonly name: keyof Schema;
  /** The column of the organization's id, or a reference to a row that belongs to it. */
  readonly owner: string | { readonly column: string; readonly of: 'urls' | 'qr_codes' };
  /** The column of a link's id. */
  readonly urlId?: string;
}

const ofUrl = { owner: { column: 'url_id', of: 'urls' }, urlId: 'url_id' } as const;
const ofQr = { owner: { column: 'qr_id', of: 'qr_codes' } } as const;

export const urlTable: TransferTable = { name: 'urls', owner: 'organization_id', urlId: 'id' };

/**
 * The tables of an organization, referenced tables first. A test compares the list with the tables of
 * the database.
 */
export const transferTables: readonly TransferTable[] = [
  { name: 'organizations', owner: 'id' },
  { name: 'clients', owner: 'organization_id' },
  { name: 'domains', owner: 'organization_id' },
  { name: 'usage_meters', owner: 'organization_id' },
  { name: 'plan_changes', owner: 'organization_id' },
  { name: 'webhooks', owner: 'organization_id' },
  urlTable,
  { name: 'url_keys', ...ofUrl },
  { name: 'url_clicks', ...ofUrl },
  { name: 'visit_chunks', ...ofUrl },
  { name: 'click_days', ...ofUrl },
  { name: 'qr_codes', owner: 'organization_id', urlId: 'url_id' },
  { name: 'qr_pictures', ...ofQr },
  { name: 'qr_counts', ...ofQr },
  { name: 'scan_days', ...ofQr },
];

/** Yields the rows of an organization in a table, in batches. */
export function batchesOf(
  db: Kysely<Schema>,
  table: TransferTable,
  organizationId: string,
): AsyncGenerator<readonly Row[]> {
  // Links are read in the order of their organization's index.
  const key = table === urlTable ? ['created_at', 'id'] : keyOf(table.name);
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

/** Selects from the rows first and their owners second, so that each batch starts at an index entry. */
function ownedBy({ name, owner }: TransferTable, organizationId: string): RawBuilder<unknown> {
  const own = sql`from ${sql.table(name)} as own`;
  if (typeof owner === 'string') {
    return sql`${own} where ${sql.ref(`own.${owner}`)} = ${organizationId}`;
  }
  return sql`${own} cross join ${sql.table(owner.of)} as owner
    where owner.id = ${sql.ref(`own.${owner.column}`)} and owner.organization_id = ${organizationId}`;
}
