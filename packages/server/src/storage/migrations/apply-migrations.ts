import { type Kysely, type Migration, Migrator, sql } from 'kysely';
import { ConfigError } from '../../config-error.js';
import type { Engine, Schema } from '../database.js';
import { foldKeys } from '../fold-keys.js';
import { baseline } from './0001-baseline.js';

/**
 * Applies the missing migrations and returns their names. Each is applied completely or not at all. With
 * `ignoresCase`, links of the platform's domain are found in any case. Throws a ConfigError that names
 * those which differ in case only.
 */
export async function applyMigrations(
  db: Kysely<Schema>,
  engine: Engine,
  ignoresCase = false,
): Promise<string[]> {
  const newer = problemOfNewer((await findApplied(db)) ?? []);
  if (newer !== undefined) throw new ConfigError(`the database cannot be used: ${newer}`);
  // Known in the transaction only: another node may create the tables first.
  let isNew = false;
  const provided = Object.entries(migrations).map(([name, up]): [string, Migration] => [
    name,
    {
      async up(transaction) {
        if (name === firstMigration) isNew = true;
        else if (isNew) return;
        await up(transaction, engine);
      },
    },
  ]);
  const provider = { getMigrations: async () => Object.fromEntries(provided) };
  const { error, results = [] } = await new Migrator({ db, provider }).migrateToLatest();
  if (error) throw error;
  if (ignoresCase) {
    await db.transaction().execute(async (transaction) => {
      const collisions = await foldKeys(transaction, '');
      if (collisions === undefined) return;
      throw new ConfigError(
        `SHORTY_IGNORE_CASE cannot be 1: ${collisions}, or leave the setting off`,
      );
    });
  }
  return results.map((result) => result.migrationName);
}

/**
 * Returns why the database does not have the tables of this version, and what to do; undefined if it
 * has them.
 */
export async function findVersionProblem(db: Kysely<Schema>): Promise<string | undefined> {
  const applied = await findApplied(db);
  if (!applied) return 'it has no tables: start the server, or run shorty-server migrate first';
  const pending = Object.keys(migrations).filter((name) => !applied.includes(name));
  const newer = problemOfNewer(applied);
  if (newer !== undefined || pending.length === 0) return newer;
  return `it has an earlier version (${pending.join(', ')} not applied): run shorty-server migrate first, or use the version that wrote it`;
}

/** Returns why a database of a newer version cannot be used; undefined if it can. */
function problemOfNewer(applied: readonly string[]): string | undefined {
  const name = applied.at(-1);
  if (name === undefined || Object.hasOwn(migrations, name)) return undefined;
  return `it has the version ${name}, and this program reads versions up to ${Object.keys(migrations).at(-1)}: use the version of Shorty that wrote it, or restore the backup from before the upgrade (docs/upgrading.md)`;
}

/** Returns the names of the applied migrations, in order; undefined for a database without tables. */
async function findApplied(db: Kysely<Schema>): Promise<string[] | undefined> {
  const tables = await db.introspection.getTables({ withInternalKyselyTables: true });
  if (!tables.some(({ name }) => name === 'kysely_migration')) return undefined;
  const { rows } = await sql<{ name: string }>`
    select name from kysely_migration order by name`.execute(db);
  return rows.map(({ name }) => name);
}

/**
 * In ascending order. The first creates the tables of the registry as they are now, so a new database needs
 * no other. Each change of the registry comes with a migration for the databases of earlier releases, which
 * test/operator/upgrade.test.ts compares with new ones. A released migration never changes.
 */
const migrations: Readonly<Record<string, (db: Kysely<Schema>, engine: Engine) => Promise<void>>> =
  {
    '0001-baseline': baseline,
  };

/** The migration that only a new database lacks. */
export const firstMigration = Object.keys(migrations)[0] as string;
