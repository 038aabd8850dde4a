import { randomBytes } from 'node:crypto';
import { ConfigError } from '../config-error.js';
import type { Database } from '../storage/database.js';
import { findDatabaseFile } from '../storage/locate-database.js';
import { hasEncrypted } from '../storage/stored-secrets.js';
import { forgetOtherKeys } from '../storage/unlock-secrets.js';

/** Returns a new secret key, which keys the visitor hashes and encrypts stored secrets. */
export function newVisitorKey(): string {
  return randomBytes(32).toString('base64url');
}

/**
 * Loads the secret key of the installation, or creates it for a database without visits and encrypted
 * secrets.
 *
 * @throws {ConfigError} when the database has them, but no key
 */
export async function loadVisitorKey(
  database: Database,
  databaseUrl: string,
  { allowsNewKey }: { readonly allowsNewKey: boolean },
): Promise<string> {
  const stored = await database.loadKey('visitors', undefined);
  if (stored !== undefined) return stored;
  if (!allowsNewKey && ((await hasVisits(database)) || (await hasEncrypted(database)))) {
    const file = findDatabaseFile(databaseUrl);
    const [missing, remedy] =
      file === undefined
        ? ['the secret key is not in the database', '']
        : [`${file}.key is missing`, 'restore the file from a backup, '];
    throw new ConfigError(
      `${missing}, and the database has visits or encrypted secrets: ${remedy}set SHORTY_SECRET_KEY to the key, or start with --new-key: every visitor then counts as new, and webhooks whose secrets cannot be read are disabled`,
    );
  }
  const key = await database.loadKey('visitors', newVisitorKey());
  // Nothing is encrypted under the lost key, or it is given up.
  if (!allowsNewKey) await forgetOtherKeys(database, [key]);
  return key;
}

async function hasVisits({ read }: Database): Promise<boolean> {
  const counters = read.selectFrom('url_clicks').select('url_id').limit(1);
  return (await counters.executeTakeFirst()) !== undefined;
}
