import { type Kysely, type Selectable, sql } from 'kysely';
import { ConfigError } from '../../config-error.js';
import type { Engine, Schema, UpdateEach, WriteTransaction } from '../database.js';
import { readInBatches } from '../read-in-batches.js';
import { searchTextOf } from '../search-text.js';
import { createSearchIndex } from './create-search-index.js';
import { dialects } from './dialects.js';

export interface AdoptOptions {
  readonly engine: Engine;
  readonly updateEach: UpdateEach;
  /** The name that replaces the recorded names of earlier migrations. */
  readonly baseline: string;
}

type Upgrade = (transaction: WriteTransaction, options: AdoptOptions) => Promise<void>;

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

/** Kysely's record of the migrations that were applied. */
interface Records {
  kysely_migration: { name: string; timestamp: string };
}

/**
 * Upgrades a database that is older than the baseline to the baseline, in one transaction. Returns
 * false if the database is empty or already has the baseline.
 */
export async function adoptDatabase(db: Kysely<Schema>, options: AdoptOptions): Promise<boolean> {
  const tables = await db.introspection.getTables({ withInternalKyselyTables: true });
  if (!tables.some(({ name }) => name === 'kysely_migration')) return false;
  return db.transaction().execute(async (transaction) => {
    const records = transaction as unknown as Kysely<Records>;
    // Locks the rows: another node that starts now waits, and then deletes none.
    const deleted = await records
      .deleteFrom('kysely_migration')
      .where('name', 'in', [...replaced.keys()])
      .returning('name')
      .execute();
    if (deleted.length === 0) return false;
    const applied = new Set(deleted.map(({ name }) => name));
    for (const [name, upgrade] of replaced) {
      if (applied.has(name)) continue;
      if (!upgrade) {
        throw new ConfigError(
          `the database lacks the migration ${name}, which this version cannot apply: first start version 0.1.0, or the last development version before 0.1.0`,
        );
      }
      await upgrade(transaction, options);
    }
    await records
      .insertInto('kysely_migration')
      .values({ name: options.baseline, timestamp: new Date().toISOString() })
      .execute();
    return true;
  });
}

async function addWebhookHealth(
  { schema }: WriteTransaction,
  { engine }: AdoptOptions,
): Promise<void> {
  const text = sql.raw(dialects[engine].text);
  await schema.alterTable('webhooks').addColumn('last_success_at', 'bigint').execute();
  await schema.alterTable('webhooks').addColumn('failing_since', 'bigint').execute();
  await schema.alterTable('webhooks').addColumn('failure_rate', 'double precision').execute();
  await schema.alterTable('webhooks').addColumn('disabled_at', 'bigint').execute();
  await schema.alterTable('webhooks').addColumn('disabled_reason', text).execute();
}

async function addSearch(
  transaction: WriteTransaction,
  { engine, updateEach }: AdoptOptions,
): Promise<void> {
  const text = sql.raw(dialects[engine].text);
  await transaction.schema
    .alterTable('urls')
    .addColumn('search_text', text, (column) => column.notNull().defaultTo(''))
    .execute();
  // No cached field changes, so no node has to evict the links.
  if (engine === 'postgres') {
    await sql`alter table urls disable trigger tell_update`.execute(transaction);
  }
  await fillSearchText(transaction, updateEach);
  if (engine === 'postgres') {
    await sql`alter table urls enable trigger tell_update`.execute(transaction);
    await sql`drop function lower_unicode(text)`.execute(transaction);
  }
  await createSearchIndex(transaction, engine);
}

async function fillSearchText(
  transaction: WriteTransaction,
  updateEach: UpdateEach,
): Promise<void> {
  const from = sql`from urls as own where true`;
  for await (const urls of readInBatches(transaction, from, ['id'])) {
    const rows = urls as unknown as readonly Selectable<Schema['urls']>[];
    await updateEach(
      transaction,
      'urls',
      rows.map((url) => ({ set: { search_text: searchTextOf(url) }, where: { id: url.id } })),
    );
  }
}
