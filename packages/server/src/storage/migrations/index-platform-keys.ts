import { type Kysely, sql } from 'kysely';
import type { Engine, Schema } from '../database.js';

const name = 'url_keys_platform_folded';

/**
 * Creates the index that finds links of the platform's domain in any case, or drops it if the server does
 * not ignore case: each new link writes a random page of it.
 */
export async function indexPlatformKeys(
  db: Kysely<Schema>,
  engine: Engine,
  ignoresCase: boolean,
): Promise<void> {
  const { rows } = await (engine === 'sqlite'
    ? sql`select 1 from sqlite_master where type = 'index' and name = ${name}`
    : sql`select 1 from pg_indexes where schemaname = current_schema() and indexname = ${name}`
  ).execute(db);
  if (rows.length === Number(ignoresCase)) return;
  await db.transaction().execute(async (transaction) => {
    // Several nodes may start at once.
    if (engine === 'postgres') {
      await sql`lock table url_keys in share row exclusive mode`.execute(transaction);
    }
    const statement = ignoresCase
      ? `create index if not exists ${name} on url_keys (lower(key)) where domain_key = ''`
      : `drop index if exists ${name}`;
    await sql.raw(statement).execute(transaction);
  });
}
