import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hasWriters } from '../../analytics/journal/journal-folder.js';
import { type Config, readConfig } from '../../config.js';
import { ConfigError } from '../../config-error.js';
import { findDatabaseFile, findFileProblem, hidePassword } from '../../storage/locate-database.js';
import { findSecretKeys, unlockSecrets } from '../../storage/secrets.js';
import { withScratchFolder } from '../backup/move-into-place.js';
import { takeBackup } from '../backup/take-backup.js';
import { moveInstallation, refuseUnlessEmpty } from '../move/move-installation.js';
import { withStorage } from './open-database.js';
import { print } from './print.js';

/** Applies the missing migrations; with `from`, moves an installation to the configured PostgreSQL. */
export async function migrate({ from }: { from?: string }): Promise<void> {
  const config = readConfig(process.env);
  if (from !== undefined) return move(from, config);
  const applied = await withStorage(config, (database) => database.migrate());
  if (applied.length === 0) print('The database is up to date.');
  for (const name of applied) print(`Applied ${name}.`);
}

async function move(from: string, config: Config): Promise<void> {
  const to = config.databaseUrl;
  const file = /^file:/.test(from) ? findDatabaseFile(from) : undefined;
  if (file === undefined) {
    const example = existsSync(from) ? from : './data/shorty.db';
    throw new ConfigError(
      `--from is ${hidePassword(from)}: it must be a file, such as file:${example}`,
    );
  }
  const problem = findFileProblem(file);
  if (problem !== undefined) throw new ConfigError(`--from is ${from}: ${problem}`);
  if (findDatabaseFile(to) !== undefined)
    throw new ConfigError(
      'SHORTY_DATABASE_URL must be a postgres:// address: the target of the move',
    );
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
        print('Start the server with the new address in SHORTY_DATABASE_URL.');
      }),
    );
  });
}
