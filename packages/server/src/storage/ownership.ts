import { type Schema, tables } from './schema.js';

type Table = keyof Schema;

/** The column by which the rows of a table belong to rows of another one. */
export interface Owner {
  readonly column: string;
  readonly parent: Table;
}

/** The columns that name an owner. A table belongs to the first of those that it has. */
const ownerColumns: readonly (readonly [column: string, parent: Table])[] = [
  ['webhook_id', 'webhooks'],
  ['delivery_id', 'deliveries'],
  ['qr_id', 'qr_codes'],
  ['client_id', 'clients'],
  ['organization_id', 'organizations'],
  ['url_id', 'urls'],
];

/** The tables whose rows belong to no organization, and why. */
export const sharedTables: { readonly [table in Table]?: string } = {
  abuse_reports: 'visitors report links to the operator',
  host_rules: 'the operator blocks and allows hosts',
  url_id_counter: 'one row, for all organizations',
  link_policy: 'one row, for all organizations',
  click_feed: 'one row, for all organizations',
  journal_positions: 'one row for each journal',
  visit_compactions: 'a row for each shard of organizations',
  visit_batches: 'a row has visits of many organizations: remove-deleted-visits.ts',
  secret_keys: 'the keys of the installation',
  visitor_keys: 'the keys of the installation',
  retired_keys: 'the keys of erased links and deleted organizations, as hashes',
};

/**
 * Returns to which rows those of a table belong. Undefined for `organizations` and `sharedTables`.
 * Throws for a table that is in neither, so that a new table cannot be forgotten.
 */
export function ownerOf(table: Table): Owner | undefined {
  if (table === 'organizations' || sharedTables[table] !== undefined) return undefined;
  const columns: Readonly<Record<string, string>> = tables[table];
  const known = ownerColumns.find(([column]) => Object.hasOwn(columns, column));
  if (known) return { column: known[0], parent: known[1] };
  const parent = /references (\w+) \(id\)/.exec(columns.id ?? '')?.[1];
  if (parent) return { column: 'id', parent: parent as Table };
  throw new Error(`the table ${table} has no owner: see ownership.ts`);
}

/** Returns the tables whose rows belong to rows of a table. */
export function childrenOf(parent: Table): Table[] {
  return (Object.keys(tables) as Table[]).filter((table) => ownerOf(table)?.parent === parent);
}

/** Returns the tables that the columns of a table refer to. */
export function referencesOf(table: Table): Table[] {
  return Object.values(tables[table]).flatMap(
    (definition) => (/references (\w+) /.exec(definition)?.[1] as Table | undefined) ?? [],
  );
}
