import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hasWriters } from '../../analytics/journal/journal-folder.js';
import { type Config, nameSetVariables, readConfig } from '../../config.js';
import { ConfigError } from '../../config-error.js';
import type { Database } from '../../storage/database.js';
import { findDatabaseFile, hidePassword } from '../../storage/locate-database.js';
import { findSecretKeys, unlockSecrets } from '../../storage/secrets.js';
import { withScratchFolder } from '../backup/move-into-place.js';
import { takeBackup } from '../backup/take-backup.js';
import { moveInstallation, refuseUnlessEmpty } from '../move/move-installation.js';
import { withStorage } from './open-database.js';
import { print } from './print.js';

/**
 * Applies the missing migrations; with `from`, moves an installation to PostgreSQL: to the address `to`,
 * or else to the configured one.
 */
export async function migrate({ from, to }: { from?: string; to?: string }): Promise<void> {
  if (from !== undefined) {
    await move(from, to === undefined ? readConfig(process.env) : configOf(withoutPassword(to)));
  } else if (to === undefined) {
    await withStorage(readConfig(process.env), applyMigrations);
  } else {
    throw new ConfigError('--to needs --from: the file to move');
  }
}

/** Throws a ConfigError if the address has a password, because every user can list arguments. */
function withoutPassword(to: string): string {
  if (hidePassword(to) === to) return to;
  throw new ConfigError(
    `--to is ${hidePassword(to)}: a password must not be in an argument, because other users of this machine can see it; leave --to out, and set SHORTY_DATABASE_URL or SHORTY_DATABASE_URL_FILE to the address`,
  );
}

/** Returns the settings of the environment with another database. */
function configOf(databaseUrl: string): Config {
  return readConfig({
    ...process.env,
    SHORTY_DATABASE_URL: databaseUrl,
    SHORTY_DATABASE_URL_FILE: undefined,
  });
}

async function applyMigrations(database: Database): Promise<void> {
  const applied = await database.migrate();
  print(
    applied.length === 0
      ? 'The database is up to date.'
      : applied.map((name) => `Applied ${name}.`).join('\n'),
  );
}

async function move(from: string, config: Config): Promise<void> {
  const to = config.databaseUrl;
  const file = findDatabaseFile(configOf(from).databaseUrl);
  if (file === undefined)
    throw new ConfigError('--from must be a file, such as file:./data/shorty.db');
  if (findDatabaseFile(to) !== undefined)
    throw new ConfigError('SHORTY_DATABASE_URL, or --to, must be a postgres:// address');
  if (hasWriters(`${file}.visits`)) {
    throw new ConfigError(
      `a server is running on ${file}: stop it first, because the copy would lack what it still writes`,
    );
  }
  await withScratchFolder(join(tmpdir(), 'shorty-move-'), async (folder) => {
    const copy = join(folder, 'shorty.db');
    // The copy contains the clicks of the journals.
    const { thresholds } = config;
    await takeBackup({ databasePath: file, to: copy, thresholds });
    await withStorage({ databaseUrl: `file:${copy}`, durability: 'process' }, (source) =>
      withStorage(config, async (target) => {
        await target.migrate();
        await refuseUnlessEmpty(target.read);
        source.keyring.use(await findSecretKeys(source, config));
        await unlockSecrets(target, config);
        const counts = await moveInstallation(source, target);
        for (const [what, count] of counts) print(`${what} ${count.toLocaleString('en')}`);
        print(`Moved ${from} to ${hidePassword(to)}; these counts are the same on both sides.`);
        const next = 'Start the server with the new address in SHORTY_DATABASE_URL.';
        print(nameSetVariables(next, process.env));
      }),
    );
  });
}
