import { v7 as newUuid } from 'uuid';
import { readConfig } from '../../config.js';
import { ConfigError } from '../../config-error.js';
import { ApiError } from '../../contract/api-error.js';
import type { WriteRequest } from '../../idempotency/with-idempotency-key.js';
import { createOrganizationRepository } from '../../organizations/organization-repository.js';
import { type Database, StorageUnavailableError } from '../../storage/database.js';
import { UnreadableSecretError } from '../../storage/keyring.js';
import { findDatabaseFile, findFileProblem, hidePassword } from '../../storage/locate-database.js';
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
  const refuse = (problem: string | undefined) => {
    if (problem === undefined) return;
    const url = hidePassword(config.databaseUrl);
    throw new ConfigError(`SHORTY_DATABASE_URL is ${url}: ${problem}`);
  };
  const file = findDatabaseFile(config.databaseUrl);
  const remedy = 'correct the path, or create a database with shorty-server start';
  if (file !== undefined) refuse(findFileProblem(file, remedy));
  return withStorage(config, async (database) => {
    refuse(await database.findVersionProblem());
    database.keyring.use(await findSecretKeys(database, config));
    return work(database);
  });
}

/** Runs `work` on the configured database, with the id of the organization that has this id or name. */
export function withOrganization<T>(
  idOrName: string,
  work: (database: Database, id: string) => Promise<T>,
): Promise<T> {
  return withDatabase(async (database) => {
    const found = await createOrganizationRepository(database).findNamed(idOrName);
    const { id } = onlyOne('organization', idOrName, found, 'shorty-server orgs list');
    return work(database, id);
  });
}

/** Returns the only record that has a name. Throws a ConfigError if there are none or several. */
export function onlyOne<T extends { readonly id: string }>(
  noun: string,
  name: string,
  found: readonly T[],
  list: string,
): T {
  const [first] = found;
  if (first === undefined) throw new ConfigError(`there is no ${noun} ${name}: see ${list}`);
  if (found.length === 1) return first;
  const ids = found.map(({ id }) => id).join(', ');
  throw new ConfigError(`${found.length} ${noun}s have the name ${name}: give the id, of ${ids}`);
}

const kinds = [ApiError, ConfigError, StorageUnavailableError, UnreadableSecretError];

/** Returns true for errors of settings, arguments or the machine, which need no stack trace. */
export function isOperatorError(error: unknown): error is Error {
  if (!(error instanceof Error)) return false;
  if (kinds.some((kind) => error instanceof kind)) return true;
  return 'code' in error && /^(E[A-Z]+|SQLITE_\w+)$/.test(String(error.code));
}

export function messageOf(error: Error): string {
  const isDamage = 'code' in error && /^SQLITE_(CORRUPT|NOTADB)/.test(String(error.code));
  return (isDamage ? unusable(readConfig(process.env).databaseUrl, error) : error).message;
}

/**
 * Returns the request of a command, which is never repeated. The operation is that of the contract which
 * does the same, if there is one.
 */
export function fromCommand(operation: string): WriteRequest {
  const none = { actorId: null, address: null, fields: [] };
  const origin = { ...none, entryId: newUuid(), operation, clock: Date.now };
  return { origin: { ...origin, actorType: 'shell' }, idempotency: undefined };
}
