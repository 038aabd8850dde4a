import { readConfig } from '../../config.js';
import { ConfigError } from '../../config-error.js';
import { findDatabaseFile, hidePassword } from '../../storage/locate-database.js';
import { restoreBackup } from '../backup/restore-backup.js';
import { takeBackup } from '../backup/take-backup.js';
import { print } from './print.js';

/** Backs up the configured database, whether its server runs or not. */
export async function backup(file: string): Promise<void> {
  const { databasePath, thresholds } = settingsOfFile('use pg_dump for PostgreSQL');
  // Temporary files contain secrets, too.
  process.umask(0o077);
  const { bytes, journalLines, hasKey } = await takeBackup({ databasePath, to: file, thresholds });
  print(`Backed up ${databasePath} to ${file}: ${bytes.toLocaleString('en')} bytes, checked.`);
  if (journalLines > 0) print(`${journalLines.toLocaleString('en')} lines came from the journal.`);
  print(
    hasKey
      ? `Store ${file}.key with it: without the key, every visitor counts as new.`
      : 'The secret key is not beside the database: store SHORTY_SECRET_KEY yourself.',
  );
}

/** Restores a backup to the configured database path. */
export function restore(file: string, { newKey }: { readonly newKey?: true }): void {
  const { databasePath, secretKey } = settingsOfFile('use pg_restore for PostgreSQL');
  process.umask(0o077);
  restoreBackup({ from: file, databasePath, allowMissingKey: newKey || secretKey !== undefined });
  print(`Restored ${file} to ${databasePath}, checked.`);
}

function settingsOfFile(otherwise: string) {
  const config = readConfig(process.env);
  const databasePath = findDatabaseFile(config.databaseUrl);
  if (databasePath !== undefined) return { ...config, databasePath };
  const shown = hidePassword(config.databaseUrl);
  throw new ConfigError(`SHORTY_DATABASE_URL is ${shown}: it is not a file; ${otherwise}`);
}
