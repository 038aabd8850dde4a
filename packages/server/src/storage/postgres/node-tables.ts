import { type Kysely, sql } from 'kysely';
import type { Schema } from '../database.js';

/** The tables whose records nodes cache, and the `kind` and `key` of a change in `cache_changes`. */
const cached = [
  { table: 'urls', kind: 'urls', key: 'id', events: ['update'] },
  { table: 'qr_codes', kind: 'pictures', key: 'id', events: ['update'] },
  { table: 'domains', kind: 'hosts', key: 'hostname', events: ['insert', 'update'] },
] as const;

/** Creates the tables that several nodes on one PostgreSQL share. */
export async function createNodeTables(db: Kysely<Schema>): Promise<void> {
  await sql`create table installation_keys (name text primary key, value text not null)`.execute(
    db,
  );
  await sql`create table cache_changes (
    id bigint generated always as identity primary key,
    kind text not null,
    key text not null,
    changed_at timestamptz not null default now()
  )`.execute(db);
  // Triggers record each change in the transaction that makes it, regardless of the program. Nodes of
  // version 0.1.0 listen for the notification; later ones poll.
  for (const { table, kind, key, events } of cached) {
    const triggerFunction = sql.table(`note_changed_${table}`);
    await sql`create function ${triggerFunction}() returns trigger language plpgsql as $$
      begin
        insert into cache_changes (kind, key)
          select distinct ${sql.lit(kind)}, ${sql.ref(key)}::text from changed;
        perform pg_notify('shorty_changes', '');
        return null;
      end $$`.execute(db);
    for (const event of events) {
      await sql`create trigger ${sql.ref(`tell_${event}`)}
        after ${sql.raw(event)} on ${sql.table(table)} referencing new table as changed
        for each statement execute function ${triggerFunction}()`.execute(db);
    }
  }
}
