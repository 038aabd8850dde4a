import { chmodSync, copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ConfigError } from '../../config-error.js';
import { findIntegrityErrors } from '../../storage/sqlite/copy-sqlite.js';
import { moveIntoPlace, refuseToOverwrite } from './move-into-place.js';
import { besideDatabase } from './take-backup.js';

export interface RestoreOptions {
  readonly from: string;
  /** The path of the restored database. Neither it nor its key or journals may exist. */
  readonly databasePath: string;
  /** Restores without the key: every visitor will count as new. */
  readonly allowMissingKey: boolean;
}

/** Restores a backup to the path of a server's database. */
export function restoreBackup({ from, databasePath, allowMissingKey }: RestoreOptions): void {
  const { key, journals, log } = besideDatabase;
  if (!existsSync(from)) throw new ConfigError(`there is no backup at ${from}`);
  if (existsSync(log(from))) {
    throw new ConfigError(
      `${from} is a database in use, or its server was killed: create a backup of it with shorty-server backup first`,
    );
  }
  const hasKey = existsSync(key(from));
  if (!hasKey && !allowMissingKey) {
    throw new ConfigError(
      `${key(from)} is missing: without it, every visitor counts as new; to restore without it, add --new-key`,
    );
  }
  const targets = [databasePath, log(databasePath), key(databasePath), journals(databasePath)];
  refuseToOverwrite(targets);
  mkdirSync(dirname(databasePath), { recursive: true });
  const scratch = mkdtempSync(`${databasePath}.partial-`);
  try {
    const copy = join(scratch, 'shorty.db');
    copyFileSync(from, copy);
    chmodSync(copy, 0o600);
    const errors = integrityErrorsOf(copy);
    if (errors.length > 0) throw new ConfigError(`${from} is damaged: ${errors.join('; ')}`);
    if (hasKey) {
      const keyCopy = join(scratch, 'key');
      copyFileSync(key(from), keyCopy);
      chmodSync(keyCopy, 0o600);
      moveIntoPlace(keyCopy, key(databasePath));
    }
    // The database comes last, so that a server never finds it without its key.
    moveIntoPlace(copy, databasePath);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

function integrityErrorsOf(path: string): string[] {
  try {
    return findIntegrityErrors(path);
  } catch (error) {
    return [(error as Error).message];
  }
}
