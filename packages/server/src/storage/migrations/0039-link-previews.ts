import { type Kysely, sql } from 'kysely';
import type { Engine, Schema } from '../database.js';
import { dialects } from './dialects.js';

/** Stores what link previews show of a link, and which targets are to be read for it. */
export async function linkPreviews(db: Kysely<Schema>, engine: Engine): Promise<void> {
  const { text } = dialects[engine].types;
  const statements = [
    `alter table urls add column preview ${text}`,
    `alter table urls add column preview_fetch ${text}`,
    'alter table urls add column preview_due_at bigint',
    `create index urls_by_preview_due on urls (organization_id, preview_due_at)
      where preview_due_at is not null`,
  ];
  for (const statement of statements) await sql.raw(statement).execute(db);
}
