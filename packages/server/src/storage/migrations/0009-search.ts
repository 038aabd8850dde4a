import { type Kysely, type Migration, sql } from 'kysely';
import type { Engine, Schema } from '../database.js';
import { createSearchIndex as createPostgresIndex } from '../postgres/search-index.js';
import { searchTextOf } from '../search-text.js';
import { createSearchIndex as createSqliteIndex } from '../sqlite/search-index.js';
import { dialects } from './dialects.js';

/** The text that searches compare with, and an index of its trigrams. */
export function search(engine: Engine): Migration {
  return {
    async up(db: Kysely<unknown>): Promise<void> {
      await db.schema
        .alterTable('urls')
        .addColumn('search_text', dialects[engine].text, (column) => column.notNull().defaultTo(''))
        .execute();
      if (engine === 'sqlite') await upgradeSqlite(db);
      else await upgradePostgres(db);
    },
  };
}

async function upgradeSqlite(db: Kysely<unknown>): Promise<void> {
  // `open-sqlite` defines the function.
  await sql`update urls
    set search_text = search_text_of(title, target_url, custom_slug, short_code)`.execute(db);
  // The rows are indexed after the start, so that the migration of many links stays short.
  await createSqliteIndex(db);
}

const rowsAtOnce = 2_000;

async function upgradePostgres(db: Kysely<unknown>): Promise<void> {
  // No cached link changes, so no node needs to be told.
  await sql`alter table urls disable trigger tell_update`.execute(db);
  // What is ASCII folds alike in every program, and fast here; the other rows are folded below.
  const plain = (column: string) => sql`translate(coalesce(${sql.ref(column)}, ''), chr(10), ' ')`;
  const text = sql`${plain('title')} || chr(10) || ${plain('target_url')} || chr(10) || ${plain('custom_slug')} || chr(10) || ${plain('short_code')}`;
  await sql`update urls set search_text = lower((${text}) collate "C")
    where octet_length(${text}) = char_length(${text})`.execute(db);
  for (let last = 0; ; ) {
    const { rows } = await sql<UnfoldedRow>`
      select id, title, target_url, custom_slug, short_code from urls
      where id > ${last} and search_text = '' order by id limit ${rowsAtOnce}`.execute(db);
    if (rows.length === 0) break;
    await sql`update urls set search_text = folded.text
      from unnest(${rows.map(({ id }) => id)}::bigint[], ${rows.map(searchTextOf)}::text[])
        as folded(id, text)
      where urls.id = folded.id`.execute(db);
    last = rows.at(-1)?.id as number;
  }
  await sql`alter table urls enable trigger tell_update`.execute(db);
  await sql`drop function lower_unicode(text)`.execute(db);
  await createPostgresIndex(db as Kysely<Schema>);
}

interface UnfoldedRow {
  readonly id: number;
  readonly title: string | null;
  readonly target_url: string;
  readonly custom_slug: string | null;
  readonly short_code: string;
}
