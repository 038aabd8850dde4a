import { type SqlBool, sql } from 'kysely';
import type { Engine, UpdateEach, WriteTransaction } from '../database.js';
import { settingsHashOf } from '../settings-hash.js';
import { writeEachLink } from './write-search-texts.js';

/** Finds links that redirect alike by a hash. The index of targets led to all links with the same target. */
export async function settingsHashes(
  transaction: WriteTransaction,
  engine: Engine,
  updateEach: UpdateEach,
): Promise<void> {
  await sql`alter table urls add column settings_hash bigint not null default 0`.execute(
    transaction,
  );
  // All links. A statement that an earlier migration prepared fails on PostgreSQL, because the columns changed.
  const isNew = sql<SqlBool>`settings_hash = 0`;
  await writeEachLink(transaction, engine, updateEach, isNew, (url) => ({
    settings_hash: settingsHashOf(url),
  }));
  await sql`drop index urls_by_target`.execute(transaction);
  await sql`create index urls_by_settings on urls (settings_hash, is_active, id)
    where deleted_at is null`.execute(transaction);
}
