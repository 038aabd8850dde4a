import { type Kysely, type Migration, Migrator } from 'kysely';
import type { Engine, Schema, UpdateEach, WriteTransaction } from '../database.js';
import { baseline } from './0001-baseline.js';
import { tenantIndexes } from './0002-tenant-indexes.js';
import { webhookFanOut } from './0003-webhook-fan-out.js';
import { apiKeys } from './0004-api-keys.js';
import { searchAllTexts } from './0005-search-all-texts.js';
import { lastClicks } from './0006-last-clicks.js';
import { importedClicks } from './0007-imported-clicks.js';
import { clickThresholds } from './0008-click-thresholds.js';
import { webhookSubscriptions } from './0009-webhook-subscriptions.js';
import { deliveryFilters } from './0010-delivery-filters.js';
import { clickQueues } from './0011-click-queues.js';
import { oldestSecrets } from './0012-oldest-secrets.js';
import { webhookReplays } from './0013-webhook-replays.js';
import { webhookStreams } from './0014-webhook-streams.js';
import { attemptCounts } from './0015-attempt-counts.js';
import { administration } from './0016-administration.js';
import { takedowns } from './0017-takedowns.js';
import { auditLog } from './0018-audit-log.js';
import { organizationDeletions } from './0019-organization-deletions.js';
import { qrMargins } from './0020-qr-margins.js';
import { adoptDatabase } from './adopt-database.js';

/**
 * Applies the missing migrations and returns their names. Each transaction applies completely or
 * not at all.
 */
export async function applyMigrations(
  db: Kysely<Schema>,
  engine: Engine,
  updateEach: UpdateEach,
): Promise<string[]> {
  const first = '0001-baseline';
  const adopted = (await adoptDatabase(db, engine, updateEach, first)) ? [first] : [];
  const { error, results = [] } = await migratorOf(db, engine, updateEach).migrateToLatest();
  if (error) throw error;
  return [...adopted, ...results.map((result) => result.migrationName)];
}

/** Returns the names of the missing migrations. */
export async function findPendingMigrations(
  db: Kysely<Schema>,
  engine: Engine,
  updateEach: UpdateEach,
): Promise<string[]> {
  const known = await migratorOf(db, engine, updateEach).getMigrations();
  return known.filter(({ executedAt }) => executedAt === undefined).map(({ name }) => name);
}

function migratorOf(db: Kysely<Schema>, engine: Engine, updateEach: UpdateEach): Migrator {
  // In ascending order. A released migration never changes.
  const migrations: Record<string, Migration> = {
    '0001-baseline': { up: (db) => baseline(db, engine) },
    '0002-tenant-indexes': { up: (db) => tenantIndexes(db, engine) },
    '0003-webhook-fan-out': { up: (db) => webhookFanOut(db, engine) },
    '0004-api-keys': { up: (db) => apiKeys(db, engine) },
    '0005-search-all-texts': {
      // Kysely runs migrations in a transaction.
      up: (db) => searchAllTexts(db as WriteTransaction, engine, updateEach),
    },
    '0006-last-clicks': { up: lastClicks },
    '0007-imported-clicks': { up: importedClicks },
    '0008-click-thresholds': { up: clickThresholds },
    '0009-webhook-subscriptions': { up: (db) => webhookSubscriptions(db, engine) },
    '0010-delivery-filters': { up: (db) => deliveryFilters(db, engine) },
    '0011-click-queues': { up: (db) => clickQueues(db, engine) },
    '0012-oldest-secrets': { up: (db) => oldestSecrets(db, engine) },
    '0013-webhook-replays': { up: (db) => webhookReplays(db, engine) },
    '0014-webhook-streams': { up: (db) => webhookStreams(db, engine) },
    '0015-attempt-counts': { up: (db) => attemptCounts(db, engine) },
    '0016-administration': { up: (db) => administration(db, engine) },
    '0017-takedowns': { up: (db) => takedowns(db, engine) },
    '0018-audit-log': { up: (db) => auditLog(db, engine) },
    '0019-organization-deletions': { up: (db) => organizationDeletions(db, engine) },
    '0020-qr-margins': { up: (db) => qrMargins(db, engine) },
  };
  return new Migrator({ db, provider: { getMigrations: async () => migrations } });
}
