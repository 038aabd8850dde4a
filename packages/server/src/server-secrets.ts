import { randomBytes } from 'node:crypto';
import type { Logger } from 'pino';
import { loadVisitorKey } from './analytics/visitor-key.js';
import { newSecret } from './auth/secrets.js';
import type { Config } from './config.js';
import { PeriodicService, type Service } from './lifecycle.js';
import type { Clock } from './ports.js';
import type { Database } from './storage/database.js';
import { encryptStored } from './storage/stored-secrets.js';
import { checkServerKeys, findSecretKeys, unlockSecrets } from './storage/unlock-secrets.js';
import { giveUpSecrets } from './webhooks/give-up-secrets.js';

interface ServerSecretsOptions {
  readonly database: Database;
  readonly config: Config;
  readonly allowsNewKey: boolean;
  readonly clock: Clock;
  readonly logger: Logger;
}

// `secrets rotate` may run with the settings of another node.
const secretKeysEveryMs = 10_000;

/** Sets the keys of stored secrets, and encrypts those that an earlier version or an import left. */
export async function unlockServer({
  database,
  config,
  allowsNewKey,
  clock,
  logger,
}: ServerSecretsOptions): Promise<void> {
  const secretKey =
    config.secretKey ?? (await loadVisitorKey(database, config.databaseUrl, { allowsNewKey }));
  const keys = await findSecretKeys(database, { ...config, secretKey });
  if (allowsNewKey) {
    const webhookIds = await giveUpSecrets(database, keys, () =>
      newSecret('webhookSecret', randomBytes),
    );
    // Left in a unit, the option would give up the secrets of a later mistake.
    if (webhookIds === undefined)
      logger.warn('the secret key is not lost: start without --new-key next time');
    else if (webhookIds.length > 0)
      logger.warn({ webhookIds }, 'webhooks without secrets are disabled');
  }
  const isFirst = await unlockSecrets(database, keys, clock());
  // Later results are encrypted. Reading all results of a day would delay each start.
  const { changed } = await encryptStored(database, {
    all: false,
    ...(!isFirst && { tables: ['webhooks'] }),
  });
  if (changed > 0) logger.info({ secrets: changed }, 'stored secrets are encrypted');
}

/** Creates the service that logs when another process has replaced the keys. */
export function secretKeysService({
  database,
  clock,
  logger,
}: Pick<ServerSecretsOptions, 'database' | 'clock' | 'logger'>): Service {
  return new PeriodicService({
    name: 'secret keys',
    everyMs: secretKeysEveryMs,
    tick: () => checkServerKeys(database, clock()),
    onError: (err) => logger.error({ err }, 'secret keys were replaced'),
  });
}
