import { type Kysely, sql } from 'kysely';
import type { Engine, Schema } from '../database.js';
import { dialects } from './dialects.js';

/** Adds the settings of custom domains, what links forward, and keys without regard to case. */
export async function domainSettings(db: Kysely<Schema>, engine: Engine): Promise<void> {
  const { text } = dialects[engine].types;
  const statements = [
    'alter table urls add column forward_query integer',
    'alter table urls add column forward_path integer',
    ...[
      'root_url',
      'not_found_url',
      'expired_url',
      'apple_app_site_association',
      'asset_links',
    ].map((column) => `alter table domains add column ${column} ${text}`),
    ...['ignore_case', 'forward_query', 'forward_path'].map(
      (column) => `alter table domains add column ${column} integer not null default 0`,
    ),
    'alter table domains add column updated_at bigint not null default 0',
    'update domains set updated_at = coalesce(verified_at, created_at)',
    'create index url_keys_folded on url_keys (domain_key, lower(key))',
  ];
  for (const statement of statements) await sql.raw(statement).execute(db);
  if (engine === 'sqlite') return;
  // Cached links contain these settings of their domain.
  await sql`create function note_changed_forwarding() returns trigger language plpgsql as $$
    begin
      insert into cache_changes (kind, key) values ('organizations', new.organization_id);
      return null;
    end $$`.execute(db);
  await sql`create trigger tell_forwarding after update on domains for each row
    when ((old.forward_query, old.forward_path, old.ignore_case)
      is distinct from (new.forward_query, new.forward_path, new.ignore_case))
    execute function note_changed_forwarding()`.execute(db);
}
