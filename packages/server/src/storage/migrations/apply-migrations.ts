import { type Kysely, type Migration, Migrator } from 'kysely';
import type { Engine, Schema } from '../database.js';
import { initial } from './0001-initial.js';
import { visits } from './0002-visits.js';
import { qrCodes } from './0003-qr-codes.js';
import { webhooks } from './0004-webhooks.js';
import { usage } from './0005-usage.js';
import { domains } from './0006-domains.js';
import { nodes } from './0007-nodes.js';
import { webhookHealth } from './0008-webhook-health.js';
import { search } from './0009-search.js';

/** In the order of their names. A migration that has shipped never changes. */
const migrations: Record<string, (engine: Engine) => Migration> = {
  '0001-initial': initial,
  '0002-visits': visits,
  '0003-qr-codes': qrCodes,
  '0004-webhooks': webhooks,
  '0005-usage': usage,
  '0006-domains': domains,
  '0007-nodes': nodes,
  '0008-webhook-health': webhookHealth,
  '0009-search': search,
};

/** Applies what is missing, all or nothing; the names of what was applied. */
export async function applyMigrations(db: Kysely<Schema>, engine: Engine): Promise<string[]> {
  const { error, results = [] } = await migratorOf(db, engine).migrateToLatest();
  if (error) throw error;
  return results.map((result) => result.migrationName);
}

/** The names of what is missing. */
export async function findPendingMigrations(db: Kysely<Schema>, engine: Engine): Promise<string[]> {
  const known = await migratorOf(db, engine).getMigrations();
  return known.filter(({ executedAt }) => executedAt === undefined).map(({ name }) => name);
}

function migratorOf(db: Kysely<Schema>, engine: Engine): Migrator {
  return new Migrator({
    db,
    provider: {
      getMigrations: async () =>
        Object.fromEntries(Object.entries(migrations).map(([name, make]) => [name, make(engine)])),
    },
  });
}
