import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Schema } from '../../storage/schema.js';
import { searchTextOf } from '../../storage/search-text.js';

/** A table whose rows belong to organizations, as an export walks through it. */
export interface TransferTable {
  readonly name: keyof Schema & string;
  /** Columns that put its rows in an order. The first row that an index finds by them is the next. */
  readonly key: readonly string[];
  /** The column that names its organization, or the table whose rows do. */
  readonly owner: string | { readonly column: string; readonly of: 'urls' | 'qr_codes' };
  /** The column that holds the id of a link. */
  readonly urlId?: string;
  /** The column that is computed from the others: it is not exported, and computed again by an import. */
  readonly computed?: { readonly column: string; readonly of: (row: Row) => Value };
}

/**
 * What an organization is made of, in the order in which rows can be written: none refers to a later
 * one. A test holds the list against the database, so that a new table is not forgotten.
 */
export const transferTables: readonly TransferTable[] = [
  { name: 'organizations', key: ['id'], owner: 'id' },
  { name: 'clients', key: ['id'], owner: 'organization_id' },
  { name: 'domains', key: ['id'], owner: 'organization_id' },
  { name: 'usage_meters', key: ['month', 'meter'], owner: 'organization_id' },
  { name: 'plan_changes', key: ['changed_at'], owner: 'organization_id' },
  { name: 'webhooks', key: ['id'], owner: 'organization_id' },
  // As its index has them.
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

/** What stays behind, and why. */
export const leftBehind: Partial<Record<keyof Schema, string>> = {
  access_tokens: 'they end within the hour; clients get new ones with the secrets that they have',
  idempotency_keys: 'they end within a day, and belong to requests to one server',
  events: 'they are there for the sake of deliveries',
  deliveries: 'what is pending is delivered by the server that it happened on',
  delivery_attempts: 'they are there for the sake of deliveries',
  url_id_counter: 'it is of all organizations',
  visit_batches: 'visits leave sorted, as chunks',
  visit_compactions: 'visits leave sorted, as chunks',
  journal_positions: 'journals are of a server',
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

/** A value as engines hand it over. */
export type Value = string | number | Uint8Array | null;
export type Row = Readonly<Record<string, Value>>;

// What is in memory at once: links of 10 KB, or pictures of 100.
const rowsAtOnce = 200;

/** The rows of an organization in a table, some in memory at a time. */
export async function* rowsOf(
  db: Kysely<Schema>,
  table: TransferTable,
  organizationId: string,
): AsyncGenerator<Row> {
  const keys = sql.join(table.key.map((column) => sql.ref(`own.${column}`)));
  let last: readonly Value[] | undefined;
  for (;;) {
    const isBehind = last ? sql`and (${keys}) > (${sql.join(last)})` : sql``;
    const { rows } = await sql<Row>`
      select own.* ${ownedBy(table, organizationId)} ${isBehind}
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

/** How many rows of an organization a table has. */
export async function countRows(
  db: Kysely<Schema>,
  table: TransferTable,
  organizationId: string,
): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count ${ownedBy(table, organizationId)}`.execute(db);
  return Number(rows[0]?.count);
}

/** The rows first and their owners second: so that each part goes on where the last one ended. */
function ownedBy({ name, owner }: TransferTable, organizationId: string): RawBuilder<unknown> {
  const own = sql`from ${sql.table(name)} as own`;
  if (typeof owner === 'string') {
    return sql`${own} where ${sql.ref(`own.${owner}`)} = ${organizationId}`;
  }
  return sql`${own} cross join ${sql.table(owner.of)} as owner
    where owner.id = ${sql.ref(`own.${owner.column}`)} and owner.organization_id = ${organizationId}`;
}
