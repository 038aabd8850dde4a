import { type Kysely, type Migration, Migrator, sql } from 'kysely';
import { ConfigError } from '../../config-error.js';
import type { Engine, Schema } from '../database.js';
import { describeCollisions, foldKeys } from '../fold-keys.js';
import { baseline } from './0001-baseline.js';

/**
 * Applies the missing migrations and returns their names. Each is applied completely or not at all.
 * With `ignoresCase`,
 * links of the platform's domain are found in any case. Throws a ConfigError that names those which differ
 * in case only.
 */
export async function applyMigrations(
  db: Kysely<Schema>,
  engine: Engine,
  ignoresCase = false,
): Promise<string[]> {
  const newer = await findNewerVersion(db);
  if (newer !== undefined) throw new ConfigError(`the database cannot be used: ${newer}`);
  const { error, results = [] } = await migratorOf(db, engine).migrateToLatest();
  if (error) throw error;
  if (ignoresCase) await foldPlatformKeys(db);
  return results.map((result) => result.migrationName);
}

function foldPlatformKeys(db: Kysely<Schema>): Promise<void> {
  return db.transaction().execute(async (transaction) => {
    const collisions = await foldKeys(transaction, '');
    if (collisions.length === 0) return;
    throw new ConfigError(
      `SHORTY_IGNORE_CASE cannot be 1: links differ only in the case of their keys: ${describeCollisions(collisions)}. Erase one of each pair, or leave the setting off`,
    );
  });
}

/**
 * Returns why the database does not have the tables of this version, and what to do; undefined if it
 * has them.
 */
export async function findVersionProblem(
  db: Kysely<Schema>,
  engine: Engine,
): Promise<string | undefined> {
  if (!(await hasMigrations(db))) {
    return 'it has no tables: start the server, or run shorty-server migrate first';
  }
  const newer = await findNewerVersion(db);
  if (newer !== undefined) return newer;
  const known = await migratorOf(db, engine).getMigrations();
  const pending = known.filter(({ executedAt }) => executedAt === undefined);
  if (pending.length === 0) return undefined;
  const names = pending.map(({ name }) => name).join(', ');
  return `it has an earlier version (${names} not applied): run shorty-server migrate first, or use the version that wrote it`;
}

/** Returns why a database of another version cannot be used; undefined if it can. */
async function findNewerVersion(db: Kysely<Schema>): Promise<string | undefined> {
  if (!(await hasMigrations(db))) return undefined;
  const { rows } = await sql<{ name: string }>`
    select name from kysely_migration order by name desc limit 1`.execute(db);
  const name = rows[0]?.name;
  if (name === undefined || Object.hasOwn(migrations, name)) return undefined;
  return `it has the version ${name}, and this program reads versions up to ${Object.keys(migrations).at(-1)}: use the version of Shorty that wrote it, or restore the backup from before the upgrade (docs/upgrading.md)`;
}

async function hasMigrations(db: Kysely<Schema>): Promise<boolean> {
  const tables = await db.introspection.getTables({ withInternalKyselyTables: true });
  return tables.some(({ name }) => name === 'kysely_migration');
}

/**
 * In ascending order. A released migration never changes. Until 1.0.0, columns are added to the registry
 * alone. Its release freezes the tables that the baseline creates, and each later change of the registry
 * comes with a migration.
 */
const migrations: Readonly<Record<string, (db: Kysely<Schema>, engine: Engine) => Promise<void>>> =
  {
    '0001-baseline': baseline,
  };

function migratorOf(db: Kysely<Schema>, engine: Engine): Migrator {
  const provided = Object.entries(migrations).map(([name, up]): [string, Migration] => [
    name,
    { up: (transaction) => up(transaction, engine) },
  ]);
  return new Migrator({
    db,
    provider: { getMigrations: async () => Object.fromEntries(provided) },
  });
}
