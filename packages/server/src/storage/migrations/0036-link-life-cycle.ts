import { type Kysely, sql } from 'kysely';
import type { Engine, Schema } from '../database.js';
import { dialects } from './dialects.js';

/** Adds the start, the fallback, the deletion and the limit of clicks of links. */
export async function linkLifeCycle(db: Kysely<Schema>, engine: Engine): Promise<void> {
  const { types, clustered } = dialects[engine];
  const { text } = types;
  const statements = [
    'alter table urls add column activates_at bigint',
    `alter table urls add column expired_url ${text}`,
    'alter table urls add column deleted_at bigint',
    'alter table urls add column max_clicks bigint',
    'alter table url_clicks add column erased_clicks bigint not null default 0',
    `create table click_leases (
      url_id bigint not null,
      writer_id ${text} not null,
      clicks bigint not null,
      change_id ${text} not null,
      granted bigint not null,
      updated_at bigint not null,
      constraint click_leases_primary primary key (url_id, writer_id)
    ) ${clustered}`,
    'create index click_leases_by_writer on click_leases (writer_id)',
  ];
  for (const statement of statements) await sql.raw(statement).execute(db);
}
