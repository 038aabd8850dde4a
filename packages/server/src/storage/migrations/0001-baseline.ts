import { type Kysely, sql } from 'kysely';
import type { Engine, Schema } from '../database.js';
import { createNodeTables, createSearchIndex } from '../postgres/node-tables.js';
import { definitionIn, definitionOf, type Table, tableNames } from '../schema.js';

/** Creates the tables of `tables.ts` with their indexes, and what only PostgreSQL needs. */
export async function baseline(db: Kysely<Schema>, engine: Engine): Promise<void> {
  for (const table of tableNames) {
    await sql.raw(`create table ${table} ${bodyOf(table, engine)}`).execute(db);
    for (const [name, definition] of Object.entries(definitionOf(table).indexes ?? {})) {
      const [, unique = '', on] = /^(unique )?(.*)$/.exec(definition) ?? [];
      await sql.raw(`create ${unique}index ${name} on ${table} ${on}`).execute(db);
    }
  }
  await sql`insert into url_id_counter (last_id) values (0)`.execute(db);
  await sql`insert into link_policy (version) values (0)`.execute(db);
  if (engine === 'sqlite') return;
  await createNodeTables(db);
  await createSearchIndex(db);
}

/** Returns what follows the name of a table in `create table`. */
function bodyOf(table: Table, engine: Engine): string {
  const { columns, key, isClustered } = definitionOf(table);
  const parts = Object.entries(columns).map(
    ([name, definition]) => `"${name}" ${definitionIn(engine, definition)}`,
  );
  if (key) parts.push(`constraint ${table}_primary primary key (${key.join()})`);
  return `(${parts.join()}) ${engine === 'sqlite' && isClustered ? 'without rowid' : ''}`;
}
