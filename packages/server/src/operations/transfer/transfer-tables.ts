import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Schema } from '../../storage/schema.js';
import { searchTextOf } from '../../storage/search-text.js';

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

/**
 * The tables of an organization, referenced tables first. A test compares the list with the database,
 * so that a new table must be added here or to `excludedTables`.
 */
export const transferTables: readonly TransferTable[] = [
  { name: 'organizations', key: ['id'], owner: 'id' },
  { name: 'clients', key: ['id'], owner: 'organization_id' },
  { name: 'domains', key: ['id'], owner: 'organization_id' },
  { name: 'usage_meters', key: ['month', 'meter'], owner: 'organization_id' },
  { name: 'plan_changes', key: ['changed_at'], owner: 'organization_id' },
  { name: 'webhooks', key: ['id'], owner: 'organization_id' },
  // In the order of its index.
  {
    name: 'urls',
    key: ['created_at', 'id'],
    owner: 'organization_id',
    urlId: 'id',
    computed: { column: 'search_text', of: searchTextOfRow },
  },
  { ...ofUrl('url_keys'), key: ['domain_key', 'key'] },
  { ...ofUrl('url_clicks'), key: ['url_id'] },
  { ...ofUrl('visit_chunks'), key: ['url_id', 'number'] },
  { ...ofUrl('click_days'), key: ['url_id', 'day'] },
  { name: 'qr_codes', key: ['id'], owner: 'organization_id', urlId: 'url_id' },
  { ...ofQr('qr_pictures'), key: ['qr_id'] },
  { ...ofQr('qr_counts'), key: ['qr_id'] },
  { ...ofQr('scan_days'), key: ['qr_id', 'day'] },
];

/** The tables that are not exported, and why. */
export const excludedTables: Partial<Record<keyof Schema, string>> = {
  access_tokens: 'tokens expire within an hour; clients request new ones with their secrets',
  idempotency_keys: 'keys expire within a day and belong to requests to one server',
  events: 'events exist for their deliveries',
  deliveries: 'the exporting server makes the pending deliveries',
  delivery_attempts: 'attempts belong to deliveries',
  url_id_counter: 'all organizations share the counter',
  visit_batches: 'visits are exported as chunks',
  visit_compactions: 'visits are exported as chunks',
  journal_positions: 'a journal belongs to a server',
};

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

/** A value as the engines return it. */
export type Value = string | number | Uint8Array | null;
export type Row = Readonly<Record<string, Value>>;

// Rows in memory at once: links of up to 10 KB, or images of up to 100 KB.
const rowsAtOnce = 200;

/** Yields the rows of an organization in a table, in batches. */
export async function* rowsOf(
  db: Kysely<Schema>,
  table: TransferTable,
  organizationId: string,
): AsyncGenerator<Row> {
  const keys = sql.join(table.key.map((column) => sql.ref(`own.${column}`)));
  let last: readonly Value[] | undefined;
  for (;;) {
    const afterLast = last ? sql`and (${keys}) > (${sql.join(last)})` : sql``;
    const { rows } = await sql<Row>`
      select own.* ${ownedBy(table, organizationId)} ${afterLast}
      order by ${keys} limit ${rowsAtOnce}`.execute(db);
    yield* table.computed ? rows.map(without(table.computed.column)) : rows;
    const end = rows.at(-1);
    if (!end || rows.length < rowsAtOnce) return;
    last = table.key.map((column) => end[column] ?? null);
  }
}

function without(column: string): (row: Row) => Row {
  return ({ [column]: _, ...rest }) => rest;
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
