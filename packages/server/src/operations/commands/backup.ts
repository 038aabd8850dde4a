import { copyFileSync, existsSync, mkdirSync, readdirSync, renameSync, rmdirSync } from 'node:fs';
import { constants, getPriority, setPriority } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { readConfig } from '../../config.js';
import { ConfigError } from '../../config-error.js';
import { formatCount } from '../../format-count.js';
import { findDatabaseFile, hidePassword } from '../../storage/locate-database.js';
import { lockForServer } from '../../storage/sqlite/server-lock.js';
import { requireNewPaths, withScratchFolder } from '../backup/move-into-place.js';
import { placeCopy, takeBackup } from '../backup/take-backup.js';
import { print } from './print.js';

/** Backs up the configured database, whether its server runs or not. */
export async function backup(file: string): Promise<void> {
  const { databasePath, thresholds } = settingsOfFile('use pg_dump for PostgreSQL');
  // Temporary files contain secrets, too.
  process.umask(0o077);
  // Redirects have priority. A process may not raise its own.
  setPriority(Math.max(getPriority(), constants.priority.PRIORITY_BELOW_NORMAL));
  const { bytes, journalLines, hasKey, damaged } = await takeBackup({
    databasePath,
    to: file,
    thresholds,
  });
  const result = damaged === 0 ? 'checked' : 'with damaged visits';
  print(`Backed up ${databasePath} to ${file}: ${formatCount(bytes, 'byte')}, ${result}.`);
  if (journalLines > 0) print(`${formatCount(journalLines, 'line')} came from the journal.`);
  print(
    hasKey
      ? `Store ${file}.key with it: without the key, every visitor counts as new, and webhooks lose their secrets.`
      : 'The secret key is not beside the database: store SHORTY_SECRET_KEY yourself.',
  );
  if (damaged === 0) return;
  process.exitCode = 1;
  process.stderr.write(
    `shorty-server: ${formatCount(damaged, 'part')} of the visits cannot be read: see shorty-server doctor --check, and store an earlier backup for longer\n`,
  );
}

/**
 * Restores a backup to the configured database path. No file may exist there, unless the files of the
 * old database are moved to a folder first.
 */
export async function restore(from: string, { moveOldTo }: { moveOldTo?: string }): Promise<void> {
  const { databasePath: to, secretKey } = settingsOfFile('use pg_restore for PostgreSQL');
  process.umask(0o077);
  if (!existsSync(from)) throw new ConfigError(`there is no backup at ${from}`);
  if (existsSync(`${from}-wal`)) {
    throw new ConfigError(
      `${from} is a database in use, or its server was killed: create a backup of it with shorty-server backup first`,
    );
  }
  const existing = [to, `${to}-wal`, `${to}.key`, `${to}.visits`].filter((path) =>
    existsSync(path),
  );
  const remedy = ': to move the old database to a new folder first, add --move-old-to FOLDER';
  if (moveOldTo === undefined) requireNewPaths(existing, remedy);
  else requireNewPaths([moveOldTo]);
  const oldFolder = existing.length > 0 ? moveOldTo : undefined;
  mkdirSync(dirname(to), { recursive: true });
  // Also refuses while a server runs.
  const unlock = existing.length > 0 ? lockForServer(to, Date.now()) : () => {};
  await withScratchFolder(`${to}.partial-`, async (folder) => {
    const copy = join(folder, 'shorty.db');
    copyFileSync(from, copy);
    const onVerified = () => oldFolder !== undefined && moveDatabase(to, oldFolder);
    placeCopy(copy, { from, to, onVerified });
  }).finally(unlock);
  if (oldFolder !== undefined) print(`Moved the old files to ${oldFolder}.`);
  print(`Restored ${from} to ${to}, checked.`);
  if (existsSync(`${from}.key`) || secretKey !== undefined) return;
  print(
    `${from}.key is missing, and the server does not start without its key: put it at ${to}.key, or set SHORTY_SECRET_KEY.`,
  );
}

function moveDatabase(path: string, folder: string): void {
  const name = basename(path);
  const files = readdirSync(dirname(path)).filter(
    (each) =>
      (each === name || each.startsWith(`${name}-`) || each.startsWith(`${name}.`)) &&
      !each.startsWith(`${name}.lock`) &&
      !each.startsWith(`${name}.partial-`),
  );
  mkdirSync(folder, { mode: 0o700 });
  try {
    for (const each of files) renameSync(join(dirname(path), each), join(folder, each));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EXDEV') throw error;
    rmdirSync(folder);
    throw new ConfigError(`${folder}: must be on the same file system as ${path}`);
  }
}

function settingsOfFile(otherwise: string) {
  const config = readConfig(process.env);
  const databasePath = findDatabaseFile(config.databaseUrl);
  if (databasePath !== undefined) return { ...config, databasePath };
  const shown = hidePassword(config.databaseUrl);
  throw new ConfigError(`SHORTY_DATABASE_URL is ${shown}: it is not a file; ${otherwise}`);
}
