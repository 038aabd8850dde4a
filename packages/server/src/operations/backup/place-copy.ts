import { chmodSync, copyFileSync, existsSync } from 'node:fs';
import { ConfigError } from '../../config-error.js';
import { findIntegrityErrors } from '../../storage/sqlite/copy-sqlite.js';
import { moveIntoPlace } from './move-into-place.js';

/**
 * Checks a copy of the database `from`, and moves it to `to` with a copy of the key beside `from`.
 * Returns false if there is no key.
 */
export function placeCopy(copy: string, { from, to }: { from: string; to: string }): boolean {
  chmodSync(copy, 0o600);
  const errors = findIntegrityErrors(copy);
  if (errors.length > 0) throw new ConfigError(`${from} is damaged: ${errors.join('; ')}`);
  const hasKey = existsSync(`${from}.key`);
  if (hasKey) {
    const key = `${copy}.key`;
    copyFileSync(`${from}.key`, key);
    chmodSync(key, 0o600);
    moveIntoPlace(key, `${to}.key`);
  }
  // The database comes last, so that a server never finds it without its key.
  moveIntoPlace(copy, to);
  return hasKey;
}
