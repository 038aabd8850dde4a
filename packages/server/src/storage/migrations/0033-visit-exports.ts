import { type Kysely, sql } from 'kysely';
import type { Engine, Schema } from '../database.js';
import { dialects } from './dialects.js';

/** Adds the positions of exports, and the export run of each chunk. */
export async function visitExports(db: Kysely<Schema>, engine: Engine): Promise<void> {
  const { text } = dialects[engine].types;
  const statements = [
    `create table visit_exports (
      destination ${text} primary key,
      options ${text} not null,
      exported_run bigint not null,
      closed_run bigint not null,
      closed_at bigint not null,
      closed_batch bigint not null,
      files integer not null,
      visits bigint not null,
      url_id bigint not null,
      number integer not null,
      next_url_id bigint,
      next_number integer
    )`,
    'alter table visit_chunks add column export_run bigint not null default 0',
    // Empty until an export begins.
    `create index visit_chunks_to_export on visit_chunks (export_run, url_id)
      where export_run > 0`,
  ];
  for (const statement of statements) await sql.raw(statement).execute(db);
}
