import { randomBytes } from 'node:crypto';
import { ConfigError } from '../config-error.js';
import type { Database } from '../storage/database.js';
import { findDatabaseFile } from '../storage/locate-database.js';

/** Returns a new key of the visitor hashes. */
export function newVisitorKey(): string {
  return randomBytes(32).toString('base64url');
}

/**
 * Loads the key of the visitor hashes, or creates it for a database without visits.
 *
 * @throws {ConfigError} when the database has visits, but no key
 */
export async function loadVisitorKey(
  database: Database,
  databaseUrl: string,
  { allowsNewKey }: { readonly allowsNewKey: boolean },
): Promise<string> {
  const stored = await database.loadKey('visitors', undefined);
  if (stored !== undefined) return stored;
  if (!allowsNewKey && (await hasVisits(database))) {
    const file = findDatabaseFile(databaseUrl);
    const [missing, remedy] =
      file === undefined
        ? ['the key of the visitor hashes is not in the database', '']
        : [`${file}.key is missing`, 'restore the file from a backup, '];
    throw new ConfigError(
      `${missing}, and the database has visits: ${remedy}set SHORTY_SECRET_KEY to the key, or start with --new-key, and every visitor counts as new`,
    );
  }
  return database.loadKey('visitors', newVisitorKey());
}

async function hasVisits({ read }: Database): Promise<boolean> {
  const counters = read.selectFrom('url_clicks').select('url_id').limit(1);
  return (await counters.executeTakeFirst()) !== undefined;
}
