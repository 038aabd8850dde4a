import { ConfigError } from '../config-error.js';
import type { Database } from './database.js';
import { hidePassword, locateDatabase } from './locate-database.js';
import { openPostgres } from './postgres/open-postgres.js';
import { openSqlite } from './sqlite/open-sqlite.js';

export interface StorageOptions {
  readonly databaseUrl: string;
  readonly durability: 'process' | 'power';
  /** The connection limit of a PostgreSQL; 4 by default. */
  readonly databaseConnections?: number | undefined;
  /** Removes the time limit of statements, for operator commands. */
  readonly withoutTimeout?: boolean | undefined;
  /** Leaves checkpoints to another thread, which calls `maintain`. */
  readonly withoutCheckpoints?: boolean | undefined;
}

/**
 * Opens the storage of these settings. Throws a ConfigError if the address is invalid or the file
 * cannot be opened. The caller must call `migrate` before it uses tables.
 */
export function openStorage(options: StorageOptions): Database {
  const { databaseUrl, durability, databaseConnections = 4, withoutCheckpoints } = options;
  const { withoutTimeout = false } = options;
  try {
    const location = locateDatabase(databaseUrl);
    if (location.engine === 'postgres') {
      return openPostgres({
        address: location.address,
        maxConnections: databaseConnections,
        withoutTimeout,
      });
    }
    return openSqlite({ path: location.path, durability, withoutCheckpoints });
  } catch (cause) {
    throw new ConfigError(
      `SHORTY_DATABASE_URL is ${hidePassword(databaseUrl)}: ${cause instanceof Error ? cause.message : cause}`,
      { cause },
    );
  }
}
