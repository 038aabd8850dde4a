import { readConfig } from '../../config.js';
import type { Database } from '../../storage/database.js';
import { openStorage } from '../../storage/open-storage.js';

/** Runs an operator command on the database that the settings name, beside a server or without one. */
export async function withDatabase<T>(work: (database: Database) => Promise<T>): Promise<T> {
  const database = openStorage({ ...readConfig(process.env), isUnhurried: true });
  try {
    await database.migrate();
    return await work(database);
  } finally {
    await database.close();
  }
}
