import { type Kysely, sql } from 'kysely';
import type { Engine, Schema } from '../database.js';

/** The tables whose triggers notified nodes, and the `kind` and `key` of a change in `cache_changes`. */
const notifying = [
  { table: 'urls', kind: 'urls', key: 'id' },
  { table: 'qr_codes', kind: 'pictures', key: 'id' },
  { table: 'domains', kind: 'hosts', key: 'hostname' },
] as const;

/**
 * Removes the notifications of changes, for which no node listens. PostgreSQL commits the transactions
 * that notify one after another, in all databases of the server.
 */
export async function changesWithoutNotifications(
  db: Kysely<Schema>,
  engine: Engine,
): Promise<void> {
  if (engine === 'sqlite') return;
  for (const { table, kind, key } of notifying) {
    await sql`create or replace function ${sql.table(`note_changed_${table}`)}() returns trigger
      language plpgsql as $$
      begin
        insert into cache_changes (kind, key)
          select distinct ${sql.lit(kind)}, ${sql.ref(key)}::text from changed;
        return null;
      end $$`.execute(db);
  }
}
