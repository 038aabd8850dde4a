import { type Kysely, sql } from 'kysely';
import { ConfigError } from '../../config-error.js';
import type { Engine, Schema, UpdateEach, WriteTransaction } from '../database.js';
import { createSearchIndex } from '../postgres/search-index.js';
import { dialects } from './dialects.js';
import { writeSearchTexts } from './write-search-texts.js';

/**
 * Upgrades a database of a development version to the baseline, in one transaction. The baseline
 * replaces nine migrations; the upgrade applies the last two if they are missing. Throws a ConfigError
 * if the database lacks the seventh, `0007-nodes`. Returns false if the database is empty or already has
 * the baseline.
 */
export async function adoptDatabase(
  db: Kysely<Schema>,
  engine: Engine,
  updateEach: UpdateEach,
  baseline: string,
): Promise<boolean> {
  const tables = await db.introspection.getTables({ withInternalKyselyTables: true });
  if (!tables.some(({ name }) => name === 'kysely_migration')) return false;
  return db.transaction().execute(async (transaction) => {
    // Locks the rows: a node that starts at the same time waits, and then finds none to delete.
    const { rows } = await sql<{ name: string }>`delete from kysely_migration
      where exists (select 1 from kysely_migration where name = '0001-initial')
      returning name`.execute(transaction);
    if (rows.length === 0) return false;
    const applied = new Set(rows.map(({ name }) => name));
    if (!applied.has('0007-nodes')) {
      throw new ConfigError(
        'the database lacks the migration 0007-nodes, which this version cannot apply: first start the last development version before 0.1.0',
      );
    }
    if (!applied.has('0008-webhook-health')) await addWebhookHealth(transaction, engine);
    if (!applied.has('0009-search')) await addSearch(transaction, engine, updateEach);
    await sql`insert into kysely_migration (name, timestamp)
      values (${baseline}, ${new Date().toISOString()})`.execute(transaction);
    return true;
  });
}

async function addWebhookHealth(transaction: WriteTransaction, engine: Engine): Promise<void> {
  const columns = [
    'last_success_at bigint',
    'failing_since bigint',
    'failure_rate double precision',
    'disabled_at bigint',
    `disabled_reason ${dialects[engine].types.text}`,
  ];
  for (const column of columns) {
    await sql.raw(`alter table webhooks add column ${column}`).execute(transaction);
  }
}

async function addSearch(
  transaction: WriteTransaction,
  engine: Engine,
  updateEach: UpdateEach,
): Promise<void> {
  const { text } = dialects[engine].types;
  await sql`alter table urls add column search_text ${sql.raw(text)} not null default ''`.execute(
    transaction,
  );
  await writeSearchTexts(transaction, engine, updateEach, sql`true`);
  if (engine === 'postgres') {
    await sql`drop function lower_unicode(text)`.execute(transaction);
    await createSearchIndex(transaction);
  }
}
