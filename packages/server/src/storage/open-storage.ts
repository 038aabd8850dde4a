import { ConfigError } from '../config-error.js';
import type { Database } from './database.js';
import { hidePassword, locateDatabase } from './locate-database.js';
import { openPostgres, type PostgresOptions } from './postgres/open-postgres.js';
import { openSqlite, type SqliteOptions } from './sqlite/open-sqlite.js';

export interface StorageOptions
  extends Omit<SqliteOptions, 'path'>,
    Omit<PostgresOptions, 'address'> {
  readonly databaseUrl: string;
}

/**
 * Opens the storage of these settings. Throws a ConfigError if the address is invalid or the file
 * cannot be opened. The caller must call `migrate` before it uses tables.
 */
export function openStorage(options: StorageOptions): Database {
  const { databaseUrl } = options;
  try {
    const location = locateDatabase(databaseUrl);
    return location.engine === 'postgres'
      ? openPostgres({ ...options, address: location.address })
      : openSqlite({ ...options, path: location.path });
  } catch (cause) {
    throw new ConfigError(
      `SHORTY_DATABASE_URL is ${hidePassword(databaseUrl)}: ${cause instanceof Error ? cause.message : cause}`,
      { cause },
    );
  }
}
