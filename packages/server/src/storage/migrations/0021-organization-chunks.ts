import { type Kysely, sql } from 'kysely';
import type { Engine, Schema } from '../database.js';
import { dialects } from './dialects.js';

/**
 * Adds the chunks of organizations, and indexes for the counts of their links. Stored visits are not
 * copied: overviews read them from the chunks of links.
 */
export async function organizationChunks(db: Kysely<Schema>, engine: Engine): Promise<void> {
  const { types, clustered } = dialects[engine];
  const { text, bytes } = types;
  const statements = [
    `create table organization_chunks (
      organization_id ${text} not null,
      number integer not null,
      first_at bigint not null,
      last_at bigint not null,
      visit_count integer not null,
      visits ${bytes} not null,
      constraint organization_chunks_primary primary key (organization_id, number)
    ) ${clustered}`,
    `alter table visit_compactions add column next_organization ${text} not null default ''`,
    'alter table visit_compactions add column next_visit bigint not null default 0',
    'alter table organizations add column chunks_complete_from bigint not null default 0',
    // The end of all visits that are not in batches, and of all pruned days.
    `update organizations set chunks_complete_from = coalesce((select max(until) from (
      select max(last_at) + 1 as until from visit_chunks
      union all select max(day) + 86400000 from click_days) as stored), 0)`,
    // The key is an expression, so that only the counts of overviews use these indexes. Lists read
    // links in the order of `urls_by_organization`.
    `create index urls_inactive on urls ((organization_id || '')) where is_active = 0`,
    `create index urls_expiring on urls ((organization_id || ''), expires_at)
      where is_active = 1 and expires_at is not null`,
    `create index urls_imported on urls ((organization_id || ''), imported_clicks)
      where imported_clicks > 0`,
    `create index qr_codes_deleted on qr_codes (organization_id) where deleted_at is not null`,
  ];
  for (const statement of statements) await sql.raw(statement).execute(db);
}
