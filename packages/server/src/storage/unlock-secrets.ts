import { ConfigError } from '../config-error.js';
import type { Database, Schema } from './database.js';
import { keyIdIn, keyIdOf, type Place, UnreadableSecretError } from './keyring.js';
import { hasEncrypted } from './stored-secrets.js';

const checkText = 'shorty';

export interface SecretKeySettings {
  readonly secretKey: string | undefined;
  readonly previousSecretKey: string | undefined;
}

/**
 * Returns the keys of stored secrets, the current one first. The key that the installation generated is
 * always among them, so that it can be replaced by a setting. Empty if there is none.
 */
export async function findSecretKeys(
  database: Database,
  { secretKey, previousSecretKey }: SecretKeySettings,
): Promise<string[]> {
  const generated = await database.loadKey('visitors', undefined);
  return [secretKey, generated, previousSecretKey].filter((key) => key !== undefined);
}

/** Throws a ConfigError unless the current key is that of a server which has used the database. */
export async function requireServerKey({ read, keyring }: Database): Promise<void> {
  const registered = await read.selectFrom('secret_keys').select('id').execute();
  const { currentId } = keyring;
  if (registered.length === 0 || registered.some(({ id }) => id === currentId)) return;
  throw new ConfigError(
    `the server encrypts secrets under the key ${registered.map(({ id }) => id).join(' or ')}, and ${currentId === undefined ? 'SHORTY_SECRET_KEY is not set' : `SHORTY_SECRET_KEY is the key ${currentId}`}: run the command with the settings of the server, after its start`,
  );
}

/**
 * Sets the keys of the database's keyring, the current one first, and registers the current key, under
 * which values are encrypted from now on. Returns whether it is the first key of the database.
 *
 * @throws {ConfigError} if values may be encrypted under a key that is not among these; nothing is changed
 */
export async function unlockSecrets(
  database: Database,
  secretKeys: readonly string[],
  now: number,
): Promise<boolean> {
  const { keyring } = database;
  keyring.use(secretKeys);
  const registered = await database.read.selectFrom('secret_keys').selectAll().execute();
  const unknown = registered.filter(({ id }) => !keyring.has(id)).map(({ id }) => id);
  // Another node may encrypt under its key at any time. A SQLite file has one server.
  const isUnused =
    unknown.length > 0 && database.engine === 'sqlite' && !(await hasEncrypted(database));
  if (isUnused) await forgetOtherKeys(database, secretKeys);
  const missing = isUnused ? [] : unknown;
  const { currentId: id = '' } = keyring;
  if (missing.length > 0) {
    keyring.use([]);
    throw new ConfigError(
      `stored secrets are encrypted under the key ${missing.join(', ')}, and SHORTY_SECRET_KEY is the key ${id}: set the right key, or set the old one as SHORTY_SECRET_KEY_PREVIOUS; if it is lost, start with --new-key, which disables the webhooks whose secrets cannot be read`,
    );
  }
  for (const row of registered) if (keyring.has(row.id)) checkKey(database, row);
  if (registered.some((row) => row.id === id)) return false;
  await registerCurrentKey(database, now);
  return registered.length === 0;
}

async function registerCurrentKey(database: Database, now: number): Promise<void> {
  const { keyring } = database;
  const { currentId: id = '' } = keyring;
  const check_value = keyring.encrypt(checkText, placeOfCheck(id));
  await database.writeDirectly(async (transaction) => {
    await transaction
      .insertInto('secret_keys')
      .values({ id, check_value, created_at: now })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  });
}

/**
 * Checks the keys of a running server, which others may have replaced. A key that this server encrypts
 * under is registered again, so that no start without it hides the values under it.
 *
 * @throws {ConfigError} if this server cannot decrypt all values, or encrypts under a replaced key
 */
export async function checkServerKeys(database: Database, now: number): Promise<void> {
  const { keyring } = database;
  const { currentId: id } = keyring;
  const rows = await database.read.selectFrom('secret_keys').select('id').execute();
  const registered = rows.map((row) => row.id);
  const unknown = registered.filter((each) => !keyring.has(each));
  const isReplaced = id !== undefined && !registered.includes(id);
  if (isReplaced) await registerCurrentKey(database, now);
  if (unknown.length > 0) {
    throw new ConfigError(
      `stored secrets are encrypted under the key ${unknown.join(', ')}, which this server does not have: restart it with that key as SHORTY_SECRET_KEY or SHORTY_SECRET_KEY_PREVIOUS`,
    );
  }
  if (isReplaced) {
    throw new ConfigError(
      `this server encrypts secrets under the key ${id}, which shorty-server secrets rotate has replaced: restart it with the new key as SHORTY_SECRET_KEY, and run the command again`,
    );
  }
}

/** Throws a ConfigError if a key does not decrypt its check value. */
function checkKey({ keyring }: Database, { id, check_value }: Schema['secret_keys']): void {
  try {
    if (keyIdIn(check_value) === id && keyring.decrypt(check_value, placeOfCheck(id)) === checkText)
      return;
  } catch (error) {
    if (!(error instanceof UnreadableSecretError)) throw error;
  }
  throw new ConfigError(
    `the row ${id} of the table secret_keys is damaged: restore a backup, or delete the row`,
  );
}

function placeOfCheck(id: string): Place {
  return ['secret_keys', 'check_value', id];
}

/** Removes all registered keys but these. Values under the others cannot be read any more. */
export async function forgetOtherKeys(
  database: Database,
  secretKeys: readonly string[],
): Promise<void> {
  const ids = secretKeys.map(keyIdOf);
  await database.writeDirectly(async (transaction) => {
    const registered = await transaction.selectFrom('secret_keys').select('id').execute();
    const others = registered.map(({ id }) => id).filter((id) => !ids.includes(id));
    if (others.length === 0) return;
    await transaction.deleteFrom('secret_keys').where('id', 'in', others).execute();
  });
}
