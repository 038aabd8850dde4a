import { ConfigError } from '../config-error.js';
import type { Database, StorageOptions } from './database.js';
import { findDatabaseFile, hidePassword, locateDatabase } from './locate-database.js';
import { openPostgres } from './postgres/open-postgres.js';
import { openSqlite } from './sqlite/open-sqlite.js';
import { describeFileError } from './sqlite/sqlite-file.js';

export type { StorageOptions } from './database.js';

/**
 * Opens the storage of these settings. Throws a ConfigError if the address is invalid or the file
 * cannot be opened. The caller must call `migrate` before it uses tables.
 */
export function openStorage(options: StorageOptions): Database {
  const { databaseUrl } = options;
  try {
    const location = locateDatabase(databaseUrl);
    return typeof location === 'string'
      ? openSqlite(findDatabaseFile(databaseUrl) ?? location, options)
      : openPostgres(location, options);
  } catch (cause) {
    throw unusable(databaseUrl, cause);
  }
}

/** Returns the error of a database that cannot be used: the setting, its value, the reason and the remedy. */
export function unusable(databaseUrl: string, cause: unknown): ConfigError {
  return new ConfigError(
    `SHORTY_DATABASE_URL is ${hidePassword(databaseUrl)}: ${describeFileError(cause)}`,
    { cause },
  );
}
