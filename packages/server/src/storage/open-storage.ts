import { ConfigError } from '../config.js';
import type { Database } from './database.js';
import { openSqlite } from './sqlite/open-sqlite.js';

export interface StorageOptions {
  readonly databasePath: string;
  readonly durability: 'process' | 'power';
  /** True where another thread calls `maintain`. */
  readonly leavesCheckpoints?: boolean | undefined;
}

/**
 * Opens the storage that the settings name; throws a ConfigError where that cannot be done. Its
 * tables may need `migrate` first.
 */
export function openStorage(options: StorageOptions): Database {
  const { databasePath, durability, leavesCheckpoints } = options;
  try {
    return openSqlite({ path: databasePath, durability, leavesCheckpoints });
  } catch (cause) {
    throw new ConfigError(
      `SHORTY_DATABASE_URL is file:${databasePath}: ${cause instanceof Error ? cause.message : cause}`,
      { cause },
    );
  }
}
