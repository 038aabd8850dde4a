import { type Kysely, type Migration, type MigrationInfo, Migrator, sql } from 'kysely';
import { ConfigError } from '../../config-error.js';
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
import { organizationChunks } from './0021-organization-chunks.js';
import { excludedAddresses } from './0022-excluded-addresses.js';
import { machineVisits } from './0023-machine-visits.js';
import { secretKeys } from './0024-secret-keys.js';
import { visitErasures } from './0025-visit-erasures.js';
import { endpointLeases } from './0026-endpoint-leases.js';
import { visitorKeys } from './0027-visitor-keys.js';
import { concurrentWrites } from './0028-concurrent-writes.js';
import { organizationChunkList } from './0031-organization-chunk-list.js';
import { sharedLimits } from './0032-shared-limits.js';
import { linkRules } from './0034-link-rules.js';
import { domainSettings } from './0035-domain-settings.js';
import { linkLifeCycle } from './0036-link-life-cycle.js';
import { externalIds } from './0037-external-ids.js';
import { linkErasures } from './0038-link-erasures.js';
import { linkPreviews } from './0039-link-previews.js';
import { hostRules } from './0040-host-rules.js';
import { abuseReports } from './0041-abuse-reports.js';
import { visitShards } from './0042-visit-shards.js';
import { overviewCounts } from './0043-overview-counts.js';
import { foldedKeys } from './0044-folded-keys.js';
import { tokensByClient } from './0045-tokens-by-client.js';
import { eventsByDeliveries } from './0046-events-by-deliveries.js';
import { changesWithoutNotifications } from './0048-changes-without-notifications.js';
import { ownerIndexes } from './0050-owner-indexes.js';
import { settingsHashes } from './0051-settings-hashes.js';
import { adoptDatabase } from './adopt-database.js';
import { indexPlatformKeys } from './index-platform-keys.js';

/**
 * Applies the missing migrations and returns their names. Each transaction applies completely or
 * not at all. `ignoresCase` says whether links of the platform's domain are found in any case; undefined
 * leaves their index as it is.
 */
export async function applyMigrations(
  db: Kysely<Schema>,
  engine: Engine,
  updateEach: UpdateEach,
  ignoresCase: boolean | undefined,
): Promise<string[]> {
  const newer = (await hasMigrations(db))
    ? await findNewerVersion(db, migratorOf(db, engine, updateEach))
    : undefined;
  if (newer !== undefined) throw new ConfigError(`the database cannot be used: ${newer}`);
  const first = '0001-baseline';
  const adopted = (await adoptDatabase(db, engine, updateEach, first)) ? [first] : [];
  const migrator = migratorOf(db, engine, updateEach);
  const skipped = findSkipped(await migrator.getMigrations());
  if (skipped !== undefined) throw new ConfigError(`the database cannot be used: ${skipped}`);
  const { error, results = [] } = await migrator.migrateToLatest();
  if (error) throw error;
  if (ignoresCase !== undefined) await indexPlatformKeys(db, engine, ignoresCase);
  return [...adopted, ...results.map((result) => result.migrationName)];
}

/**
 * Returns why the database does not have the tables of this version, and what to do; undefined if it
 * has them.
 */
export async function findVersionProblem(
  db: Kysely<Schema>,
  engine: Engine,
  updateEach: UpdateEach,
): Promise<string | undefined> {
  if (!(await hasMigrations(db))) {
    return 'it has no tables: start the server, or run shorty-server migrate first';
  }
  const migrator = migratorOf(db, engine, updateEach);
  const newer = await findNewerVersion(db, migrator);
  if (newer !== undefined) return newer;
  const known = await migrator.getMigrations();
  const skipped = findSkipped(known);
  if (skipped !== undefined) return skipped;
  const pending = known.filter(({ executedAt }) => executedAt === undefined);
  if (pending.length === 0) return undefined;
  return `it has an earlier version (${describeNames(pending.map(({ name }) => name))} not applied): run shorty-server migrate first, or use the version that wrote it`;
}

/** Returns why a database lacks a migration before its last one; undefined if it lacks none. */
function findSkipped(known: readonly MigrationInfo[]): string | undefined {
  const last = known.findLastIndex(({ executedAt }) => executedAt !== undefined);
  const skipped = known.slice(0, Math.max(last, 0)).find(({ executedAt }) => !executedAt);
  if (!skipped) return undefined;
  return `a development version wrote it, which had ${known[last]?.name} and not yet ${skipped.name}: use that version, or restore a backup of a released one`;
}

/** Names up to three migrations, and the first and the last of more. */
function describeNames(names: readonly string[]): string {
  if (names.length <= 3) return names.join(', ');
  return `${names.length} migrations, ${names[0]} to ${names.at(-1)},`;
}

/** Returns why a database of a newer version cannot be used; undefined for any other version. */
async function findNewerVersion(
  db: Kysely<Schema>,
  migrator: Migrator,
): Promise<string | undefined> {
  const known = await migrator.getMigrations();
  const last = known.at(-1)?.name ?? '';
  const { rows } = await sql<{ name: string | null }>`
    select max(name) as name from kysely_migration`.execute(db);
  const name = rows[0]?.name ?? '';
  if (name <= last) return undefined;
  return `it has the version ${name}, and this program reads versions up to ${last}: use the newer version of Shorty again, or restore the backup from before the upgrade (docs/upgrading.md)`;
}

async function hasMigrations(db: Kysely<Schema>): Promise<boolean> {
  const tables = await db.introspection.getTables({ withInternalKyselyTables: true });
  return tables.some(({ name }) => name === 'kysely_migration');
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
    '0021-organization-chunks': { up: (db) => organizationChunks(db, engine) },
    '0022-excluded-addresses': { up: (db) => excludedAddresses(db, engine) },
    '0023-machine-visits': { up: (db) => machineVisits(db) },
    '0024-secret-keys': { up: (db) => secretKeys(db, engine) },
    '0025-visit-erasures': { up: (db) => visitErasures(db) },
    '0026-endpoint-leases': { up: (db) => endpointLeases(db, engine) },
    '0027-visitor-keys': { up: (db) => visitorKeys(db, engine) },
    '0028-concurrent-writes': { up: (db) => concurrentWrites(db, engine) },
    '0031-organization-chunk-list': { up: organizationChunkList },
    '0032-shared-limits': { up: (db) => sharedLimits(db, engine) },
    '0034-link-rules': { up: linkRules },
    '0035-domain-settings': { up: (db) => domainSettings(db, engine) },
    '0036-link-life-cycle': { up: (db) => linkLifeCycle(db, engine) },
    '0037-external-ids': { up: (db) => externalIds(db, engine) },
    '0038-link-erasures': { up: linkErasures },
    '0039-link-previews': { up: (db) => linkPreviews(db, engine) },
    '0040-host-rules': { up: (db) => hostRules(db, engine) },
    '0041-abuse-reports': { up: (db) => abuseReports(db, engine) },
    '0042-visit-shards': { up: (db) => visitShards(db, engine) },
    '0043-overview-counts': { up: (db) => overviewCounts(db, engine) },
    '0044-folded-keys': { up: foldedKeys },
    '0045-tokens-by-client': { up: tokensByClient },
    '0046-events-by-deliveries': { up: eventsByDeliveries },
    '0048-changes-without-notifications': { up: (db) => changesWithoutNotifications(db, engine) },
    '0050-owner-indexes': { up: ownerIndexes },
    '0051-settings-hashes': {
      up: (db) => settingsHashes(db as WriteTransaction, engine, updateEach),
    },
  };
  return new Migrator({ db, provider: { getMigrations: async () => migrations } });
}
