import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Schema } from '../../storage/schema.js';
import { searchTextOf } from '../../storage/search-text.js';
import { type Row, readInBatches, type Value } from '../read-in-batches.js';

/** A table whose rows belong to organizations. */
export interface TransferTable {
  readonly name: keyof Schema & string;
  /** The columns that order its rows. An index has them. */
  readonly key: readonly string[];
  /** The column of the organization's id, or a reference to a row that belongs to it. */
  readonly owner: string | { readonly column: string; readonly of: 'urls' | 'qr_codes' };
  /** The column of a link's id. */
  readonly urlId?: string;
  /** A column that is computed from the others. It is not exported; the import computes it. */
  readonly computed?: { readonly column: string; readonly of: (row: Row) => Value };
}

export const urlTable: TransferTable = {
  name: 'urls',
  // In the order of its index.
  key: ['created_at', 'id'],
  owner: 'organization_id',
  urlId: 'id',
  computed: { column: 'search_text', of: searchTextOfRow },
};

/**
 * The tables of an organization, referenced tables first. A test compares the list with the tables of
 * the database.
 */
export const transferTables: readonly TransferTable[] = [
  { name: 'organizations', key: ['id'], owner: 'id' },
  { name: 'clients', key: ['id'], owner: 'organization_id' },
  { name: 'domains', key: ['id'], owner: 'organization_id' },
  { name: 'usage_meters', key: ['month', 'meter'], owner: 'organization_id' },
  { name: 'plan_changes', key: ['changed_at'], owner: 'organization_id' },
  { name: 'webhooks', key: ['id'], owner: 'organization_id' },
  urlTable,
  { ...ofUrl('url_keys'), key: ['domain_key', 'key'] },
  { ...ofUrl('url_clicks'), key: ['url_id'] },
  { ...ofUrl('visit_chunks'), key: ['url_id', 'number'] },
  { ...ofUrl('click_days'), key: ['url_id', 'day'] },
  { name: 'qr_codes', key: ['id'], owner: 'organization_id', urlId: 'url_id' },
  { ...ofQr('qr_pictures'), key: ['qr_id'] },
  { ...ofQr('qr_counts'), key: ['qr_id'] },
  { ...ofQr('scan_days'), key: ['qr_id', 'day'] },
];

function searchTextOfRow({ title, target_url, custom_slug, short_code }: Row): string {
  return searchTextOf({
    title: title == null ? null : String(title),
    target_url: String(target_url),
    custom_slug: custom_slug == null ? null : String(custom_slug),
    short_code: String(short_code),
  });
}

function ofUrl(name: TransferTable['name']) {
  return { name, owner: { column: 'url_id', of: 'urls' }, urlId: 'url_id' } as const;
}

function ofQr(name: TransferTable['name']) {
  return { name, owner: { column: 'qr_id', of: 'qr_codes' } } as const;
}

/** Yields the rows of an organization in a table, in batches. */
export function batchesOf(
  db: Kysely<Schema>,
  table: TransferTable,
  organizationId: string,
): AsyncGenerator<readonly Row[]> {
  return readInBatches(db, ownedBy(table, organizationId), table.key);
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
