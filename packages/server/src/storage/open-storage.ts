import type { Database } from './database.js';
import { openSqlite } from './sqlite/open-sqlite.js';

export interface StorageOptions {
  readonly databasePath: string;
  readonly durability: 'process' | 'power';
}

/** Opens the storage that the settings name. Its tables may need `migrate` first. */
export function openStorage({ databasePath, durability }: StorageOptions): Database {
  return openSqlite({ path: databasePath, durability });
}
