import { type Kysely, type Migration, sql } from 'kysely';
import type { Engine } from '../database.js';

/** What several nodes on one PostgreSQL need. A SQLite file has one node, and its key beside it. */
export function nodes(engine: Engine): Migration {
  return { up: engine === 'postgres' ? makeShared : async () => {} };
}

async function makeShared(db: Kysely<unknown>): Promise<void> {
  // Made by the first node that starts, and the same for all.
  await sql`create table installation_keys (name text primary key, value text not null)`.execute(
    db,
  );

  // What nodes hold in memory and must forget: written by the transaction that changes it, whoever
  // runs it, and told at its commit.
  await sql`create table cache_changes (
    id bigint generated always as identity primary key,
    kind text not null,
    key text not null,
    changed_at timestamptz not null default now()
  )`.execute(db);
  for (const { table, kind, key, events } of remembered) {
    const note = sql.table(`note_changed_${table}`);
    await sql`create function ${note}() returns trigger language plpgsql as $$
      begin
        insert into cache_changes (kind, key)
          select distinct ${sql.lit(kind)}, ${sql.ref(key)}::text from changed;
        perform pg_notify('shorty_changes', '');
        return null;
      end $$`.execute(db);
    for (const event of events) {
      await sql`create trigger ${sql.ref(`tell_${event}`)}
        after ${sql.raw(event)} on ${sql.table(table)} referencing new table as changed
        for each statement execute function ${note}()`.execute(db);
    }
  }

  // Letters of every language, whatever the server's own language is.
  const { rows } = await sql`select 1 from pg_collation where collname = 'und-x-icu'`.execute(db);
  const collation = sql.raw(rows.length > 0 ? 'collate "und-x-icu"' : 'collate "default"');
  await sql`create function lower_unicode(value text) returns text
    language sql immutable parallel safe return lower(value ${collation})`.execute(db);
}

const remembered = [
  { table: 'urls', kind: 'urls', key: 'id', events: ['update'] },
  { table: 'qr_codes', kind: 'pictures', key: 'id', events: ['update'] },
  { table: 'domains', kind: 'hosts', key: 'hostname', events: ['insert', 'update'] },
] as const;
