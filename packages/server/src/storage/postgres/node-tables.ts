import { type Kysely, sql } from 'kysely';
import type { Schema } from '../database.js';
import { createLimitTable } from './shared-limits.js';

/** Creates the tables that several nodes on one PostgreSQL share. */
export async function createNodeTables(db: Kysely<Schema>): Promise<void> {
  await createLimitTable(db);
  await sql`create table installation_keys (name text primary key, value text not null)`.execute(
    db,
  );
  await sql`create table cache_changes (
    id bigint generated always as identity primary key,
    kind text not null,
    key text not null,
    changed_at timestamptz not null default now(),
    transaction_id xid8 not null default pg_current_xact_id()
  )`.execute(db);
  await sql`create index cache_changes_by_transaction on cache_changes (transaction_id)`.execute(
    db,
  );
  for (const trigger of triggers) await noteChanges(db, trigger);
}

/** The changes that nodes must learn of, and the `kind` and `key` of each in `cache_changes`. */
const triggers: readonly Trigger[] = [
  { table: 'urls', kind: 'urls', key: 'id' },
  { table: 'qr_codes', kind: 'pictures', key: 'id' },
  { table: 'domains', kind: 'hosts', key: 'hostname' },
  { table: 'domains', event: 'insert', kind: 'hosts', key: 'hostname' },
  // Cached links contain these settings of their domain.
  {
    table: 'domains',
    columns: ['forward_query', 'forward_path', 'ignore_case'],
    kind: 'organizations',
    key: 'organization_id',
  },
  // Not each change: most are of the counter of links.
  { table: 'organizations', columns: ['exclude_addresses'], kind: 'organizations', key: 'id' },
];

interface Trigger {
  readonly table: string;
  /** `update` by default. */
  readonly event?: 'insert';
  /** Only changes of these columns; of any by default. */
  readonly columns?: readonly string[];
  readonly kind: string;
  readonly key: string;
}

/** Records each change in the transaction that makes it, whichever program does. */
async function noteChanges(
  db: Kysely<Schema>,
  { table, event, columns, kind, key }: Trigger,
): Promise<void> {
  const name = sql.ref(`note_${kind}_of_${table}${event === undefined ? '' : `_${event}`}`);
  const after = sql.raw(event ?? 'update');
  const [values, timing] = columns
    ? [
        sql`values (${sql.lit(kind)}, new.${sql.ref(key)}::text)`,
        sql`for each row when (${rowOf('old', columns)} is distinct from ${rowOf('new', columns)})`,
      ]
    : [
        sql`select distinct ${sql.lit(kind)}, ${sql.ref(key)}::text from changed`,
        sql`referencing new table as changed for each statement`,
      ];
  await sql`create function ${name}() returns trigger language plpgsql as $$
    begin
      insert into cache_changes (kind, key) ${values};
      return null;
    end $$`.execute(db);
  await sql`create trigger ${name} after ${after} on ${sql.table(table)} ${timing}
    execute function ${name}()`.execute(db);
}

function rowOf(row: 'old' | 'new', columns: readonly string[]) {
  return sql`(${sql.join(columns.map((column) => sql.ref(`${row}.${column}`)))})`;
}
