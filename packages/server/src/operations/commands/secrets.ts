import { setTimeout as sleep } from 'node:timers/promises';
import { ConfigError } from '../../config-error.js';
import { formatCount } from '../../format-count.js';
import { encryptStored } from '../../storage/stored-secrets.js';
import {
  forgetOtherKeys,
  requireNoOtherServerKey,
  requireServerKey,
} from '../../storage/unlock-secrets.js';
import { withDatabase } from './open-database.js';
import { print } from './print.js';

/** Encrypts all stored secrets under the current key, beside a running server. May be run again. */
export async function rotate(): Promise<void> {
  await withDatabase(async (database) => {
    const { keyring } = database;
    if (keyring.currentId === undefined) {
      throw new ConfigError('there is no secret key yet: start the server first');
    }
    await requireServerKey(database);
    await requireNoOtherServerKey(database, pauses());
    const { changed, unreadable } = await encryptStored(database, { all: true });
    print(`Encrypted ${formatCount(changed, 'value')} under the key ${keyring.currentId}.`);
    if (unreadable.length > 0) {
      const list = unreadable.slice(0, maxPrinted).map((reason) => `- ${reason}`);
      throw new ConfigError(
        [`${formatCount(unreadable.length, 'value')} cannot be decrypted:`, ...list].join('\n'),
      );
    }
    await forgetOtherKeys(database, keyring.secretKeys.slice(0, 1));
    print('All stored secrets are under this key: SHORTY_SECRET_KEY_PREVIOUS can be removed.');
  });
}

const maxPrinted = 20;

// A server checks its keys every ten seconds. A busy one may be late.
const waitSeconds = 25;

async function* pauses() {
  print(`Waiting ${formatCount(waitSeconds, 'second')} for servers that use another key.`);
  for (let second = 0; second < waitSeconds; second += 1) yield await sleep(1_000);
}
