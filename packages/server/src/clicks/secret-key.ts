import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';

/**
 * The key of this installation's hashes, kept beside its database: made at the first start, and the
 * same ever after. Two processes that start at once end up with the same one.
 */
export function loadSecretKey(databasePath: string): string {
  const fresh = randomBytes(32).toString('base64url');
  if (databasePath === ':memory:') return fresh;
  const path = `${databasePath}.key`;
  try {
    writeFileSync(path, fresh, { mode: 0o600, flag: 'wx' });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  return readFileSync(path, 'utf8').trim();
}
