import { type Kysely, type Selectable, sql } from 'kysely';
import { ConfigError } from '../../config-error.js';
import type { Engine, Schema, UpdateEach, WriteTransaction } from '../database.js';
import { readInBatches } from '../read-in-batches.js';
import { searchTextOf } from '../search-text.js';
import { dialects } from './dialects.js';

type Upgrade = typeof addSearch;

/**
 * The migrations that the baseline replaces. The value is the upgrade of a database that lacks the
 * migration; without an upgrade, such a database is refused.
 */
const replaced: ReadonlyMap<string, Upgrade | undefined> = new Map([
  ['0001-initial', undefined],
  ['0002-visits', undefined],
  ['0003-qr-codes', undefined],
  ['0004-webhooks', undefined],
  ['0005-usage', undefined],
  ['0006-domains', undefined],
  ['0007-nodes', undefined],
  ['0008-webhook-health', addWebhookHealth],
  ['0009-search', addSearch],
]);

/**
 * Upgrades a database that is older than the baseline to the baseline, in one transaction. Returns
 * false if the database is empty or already has the baseline.
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
    // Locks the rows: another node that starts now waits, and then deletes none.
    const { rows: deleted } = await sql<{ name: string }>`delete from kysely_migration
      where name in (${sql.join([...replaced.keys()])}) returning name`.execute(transaction);
    if (deleted.length === 0) return false;
    const applied = new Set(deleted.map(({ name }) => name));
    for (const [name, upgrade] of replaced) {
      if (applied.has(name)) continue;
      if (!upgrade) {
        throw new ConfigError(
          `the database lacks the migration ${name}, which this version cannot apply: first start version 0.1.0, or the last development version before 0.1.0`,
        );
      }
      await upgrade(transaction, engine, updateEach);
    }
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
  const { types, createSearchIndex } = dialects[engine];
  await sql`alter table urls add column search_text ${sql.raw(types.text)} not null default ''`.execute(
    transaction,
  );
  // No cached field changes, so no node has to evict the links.
  if (engine === 'postgres') {
    await sql`alter table urls disable trigger tell_update`.execute(transaction);
  }
  const from = sql`from urls as own where true`;
  for await (const urls of readInBatches(transaction, from, ['id'])) {
    const rows = (urls as unknown as readonly Selectable<Schema['urls']>[]).map((url) => ({
      set: { search_text: searchTextOf(url) },
      where: { id: url.id },
    }));
    await updateEach(transaction, 'urls', rows);
  }
  if (engine === 'postgres') {
    await sql`alter table urls enable trigger tell_update`.execute(transaction);
    await sql`drop function lower_unicode(text)`.execute(transaction);
  }
  await createSearchIndex(transaction);
}
