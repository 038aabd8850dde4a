import { type Kysely, sql } from 'kysely';
import type { Engine, Schema } from '../database.js';
import { dialects } from './dialects.js';

/** Adds the addresses whose visits an organization does not count. */
export async function excludedAddresses(db: Kysely<Schema>, engine: Engine): Promise<void> {
  const { text } = dialects[engine].types;
  const statement = `alter table organizations add column exclude_addresses ${text} not null default ''`;
  await sql.raw(statement).execute(db);
  if (engine === 'sqlite') return;
  // Not for each statement: most changes of an organization are of its counter of links.
  await sql`create function note_changed_organization() returns trigger language plpgsql as $$
    begin
      insert into cache_changes (kind, key) values ('organizations', new.id);
      return null;
    end $$`.execute(db);
  await sql`create trigger tell_update after update on organizations for each row
    when (old.exclude_addresses is distinct from new.exclude_addresses)
    execute function note_changed_organization()`.execute(db);
}
