import { chmodSync, copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ConfigError } from '../../config-error.js';
import { findFaults } from '../../storage/sqlite/copy-sqlite.js';
import { placeFile, refuseToOverwrite } from './place-file.js';
import { besideDatabase } from './take-backup.js';

export interface RestoreOptions {
  readonly from: string;
  /** Where the database shall be; nothing of one may be there yet. */
  readonly databasePath: string;
  /** Goes on without the key: every visitor will be a new one. */
  readonly mayMissKey: boolean;
}

/** Puts a backup where a server will look for its database. */
export function restoreBackup({ from, databasePath, mayMissKey }: RestoreOptions): void {
  const { key, journals, log } = besideDatabase;
  if (!existsSync(from)) throw new ConfigError(`there is no backup at ${from}`);
  if (existsSync(log(from))) {
    throw new ConfigError(
      `${from} is a database in use, or one whose server was killed: make a backup of it first`,
    );
  }
  const hasKey = existsSync(key(from));
  if (!hasKey && !mayMissKey) {
    throw new ConfigError(
      `${key(from)} is missing: without it every visitor counts as a new one; --new-key goes on all the same`,
    );
  }
  const places = [databasePath, log(databasePath), key(databasePath), journals(databasePath)];
  refuseToOverwrite(places);
  mkdirSync(dirname(databasePath), { recursive: true });
  const scratch = mkdtempSync(`${databasePath}.partial-`);
  try {
    const copy = join(scratch, 'shorty.db');
    copyFileSync(from, copy);
    chmodSync(copy, 0o600);
    const faults = faultsOf(copy);
    if (faults.length > 0) throw new ConfigError(`${from} is not sound: ${faults.join('; ')}`);
    if (hasKey) {
      const keyCopy = join(scratch, 'key');
      copyFileSync(key(from), keyCopy);
      chmodSync(keyCopy, 0o600);
      placeFile(keyCopy, key(databasePath));
    }
    // Last, so that no server ever finds the database without its key.
    placeFile(copy, databasePath);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

function faultsOf(path: string): string[] {
  try {
    return findFaults(path);
  } catch (error) {
    return [(error as Error).message];
  }
}
