import { nameSetVariables, readConfig } from '../../config.js';
import { ConfigError } from '../../config-error.js';
import { ApiError } from '../../contract/api-error.js';
import { OrganizationRepository } from '../../organizations/organization-repository.js';
import { type Database, StorageUnavailableError } from '../../storage/database.js';
import { UnreadableSecretError } from '../../storage/keyring.js';
import { hidePassword, requireDatabaseFile } from '../../storage/locate-database.js';
import { openStorage, type StorageOptions, unusable } from '../../storage/open-storage.js';
import { findSecretKeys } from '../../storage/secrets.js';

/** Runs `work` on a database without time limits, and closes it. */
export async function withStorage<T>(
  options: StorageOptions,
  work: (database: Database) => Promise<T>,
): Promise<T> {
  const database = openStorage({ ...options, withoutTimeout: true });
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}

/**
 * Runs `work` on the configured database, whether its server runs or not. Throws a ConfigError if there
 * is none, or if it has another version: only `start` and `migrate` create or change tables.
 */
export function withDatabase<T>(work: (database: Database) => Promise<T>): Promise<T> {
  const config = readConfig(process.env);
  requireDatabaseFile(config.databaseUrl);
  return withStorage(config, async (database) => {
    const problem = await database.findVersionProblem();
    if (problem !== undefined) {
      throw new ConfigError(
        `SHORTY_DATABASE_URL is ${hidePassword(config.databaseUrl)}: ${problem}`,
      );
    }
    database.keyring.use(await findSecretKeys(database, config));
    return work(database);
  });
}

/**
 * Runs `work` on the configured database, which must have an organization with this id that is not being
 * deleted.
 */
export function withOrganization<T>(
  id: string,
  work: (database: Database) => Promise<T>,
): Promise<T> {
  return withDatabase(async (database) => {
    const found = await new OrganizationRepository(database).find(id);
    if (!found || found.deletedAt !== null) throw missingOrganization(id);
    return work(database);
  });
}

function missingOrganization(id: string): ConfigError {
  return new ConfigError(`there is no organization ${id}: see shorty-server orgs list`);
}

const kinds = [ApiError, ConfigError, StorageUnavailableError, UnreadableSecretError];

/** Returns true for errors of settings, arguments or the machine, which need no stack trace. */
export function isOperatorError(error: unknown): error is Error {
  if (!(error instanceof Error)) return false;
  if (kinds.some((kind) => error instanceof kind)) return true;
  return 'code' in error && /^(E[A-Z]+|SQLITE_\w+)$/.test(String(error.code));
}

/** Returns what to tell an operator about such an error. */
export function messageOf(error: Error): string {
  const isDamage = 'code' in error && /^SQLITE_(CORRUPT|NOTADB)/.test(String(error.code));
  const { message } = isDamage ? unusable(readConfig(process.env).databaseUrl, error) : error;
  return nameSetVariables(message, process.env);
}
