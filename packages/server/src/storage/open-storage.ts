import { ConfigError } from '../config-error.js';
import type { Database } from './database.js';
import { locateDatabase, nameOf } from './locate-database.js';
import { openPostgres } from './postgres/open-postgres.js';
import { openSqlite } from './sqlite/open-sqlite.js';

export interface StorageOptions {
  readonly databaseUrl: string;
  readonly durability: 'process' | 'power';
  /** Connections that may be open at once, where there are connections; 4 when left out. */
  readonly databaseConnections?: number | undefined;
  /** True where nobody is kept waiting: statements may take as long as they need. */
  readonly isUnhurried?: boolean | undefined;
  /** True where another thread calls `maintain`. */
  readonly leavesCheckpoints?: boolean | undefined;
}

/**
 * Opens the storage that the settings name; throws a ConfigError where that cannot be done. Its
 * tables may need `migrate` first.
 */
export function openStorage(options: StorageOptions): Database {
  const { databaseUrl, durability, databaseConnections = 4, leavesCheckpoints } = options;
  const { isUnhurried = false } = options;
  try {
    const location = locateDatabase(databaseUrl);
    if (location.engine === 'postgres') {
      return openPostgres({
        address: location.address,
        maxConnections: databaseConnections,
        isUnhurried,
      });
    }
    return openSqlite({ path: location.path, durability, leavesCheckpoints });
  } catch (cause) {
    throw new ConfigError(
      `SHORTY_DATABASE_URL is ${nameOf(databaseUrl)}: ${cause instanceof Error ? cause.message : cause}`,
      { cause },
    );
  }
}
