import { readConfig } from '../../config.js';
import { ConfigError } from '../../config-error.js';
import { formatCount } from '../../format-count.js';
import { rotateSecrets, unlockSecrets } from '../../storage/secrets.js';
import { withDatabase } from './open-database.js';
import { print } from './print.js';

const maxPrinted = 20;

/** Encrypts all stored secrets under the current key, beside running servers. May be run again. */
export async function rotate(): Promise<void> {
  await withDatabase(async (database) => {
    await unlockSecrets(database, readConfig(process.env));
    const { changed, unreadable } = await rotateSecrets(database);
    print(
      `Encrypted ${formatCount(changed, 'secret')} under the key ${database.keyring.firstId}. SHORTY_SECRET_KEY_PREVIOUS can be removed.`,
    );
    if (unreadable.length === 0) return;
    const list = unreadable.slice(0, maxPrinted).map((reason) => `- ${reason}`);
    const count = formatCount(unreadable.length, 'row');
    throw new ConfigError([`${count} cannot be decrypted:`, ...list].join('\n'));
  });
}
