import { readConfig } from '../../config.js';
import type { Database } from '../../storage/database.js';
import { openStorage } from '../../storage/open-storage.js';

/** Runs `work` on the configured database, whether its server runs or not. Migrates it first. */
export async function withDatabase<T>(work: (database: Database) => Promise<T>): Promise<T> {
  const database = openStorage({ ...readConfig(process.env), withoutTimeout: true });
  try {
    await database.migrate();
    return await work(database);
  } finally {
    await database.close();
  }
}
