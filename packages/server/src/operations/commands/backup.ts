import { v7 as newUuid } from 'uuid';
import { readConfig } from '../../config.js';
import { ConfigError } from '../../config-error.js';
import { fileOf, nameOf } from '../../storage/locate-database.js';
import { restoreBackup } from '../backup/restore-backup.js';
import { takeBackup } from '../backup/take-backup.js';

/** Copies the database that the settings name, beside a server or without one. */
export async function backup(file: string): Promise<void> {
  const { databasePath, thresholds } = settingsOfFile('pg_dump copies a PostgreSQL');
  // Whatever is written on the way holds secrets.
  process.umask(0o077);
  const { bytes, journalled, hasKey } = await takeBackup({
    databasePath,
    to: file,
    thresholds,
    clock: Date.now,
    newId: newUuid,
  });
  const say = (text: string) => process.stdout.write(`${text}\n`);
  say(`Backed up ${databasePath} to ${file}: ${bytes.toLocaleString('en')} bytes, checked.`);
  if (journalled > 0) say(`${journalled.toLocaleString('en')} lines came from the journal.`);
  say(
    hasKey
      ? `Keep ${file}.key with it: visitors are told apart by it.`
      : 'The secret key is not kept beside the database: keep SHORTY_SECRET_KEY yourself.',
  );
}

/** Puts a backup where the settings say that the database is. */
export function restore(file: string, { newKey }: { readonly newKey?: true }): void {
  const { databasePath, secretKey } = settingsOfFile('pg_restore fills a PostgreSQL');
  process.umask(0o077);
  restoreBackup({ from: file, databasePath, mayMissKey: newKey || secretKey !== undefined });
  process.stdout.write(`Restored ${file} to ${databasePath}, checked.\n`);
}

function settingsOfFile(otherwise: string) {
  const config = readConfig(process.env);
  const databasePath = fileOf(config.databaseUrl);
  if (databasePath !== undefined) return { ...config, databasePath };
  const shown = nameOf(config.databaseUrl);
  throw new ConfigError(`SHORTY_DATABASE_URL is ${shown}: there is no file; ${otherwise}`);
}
