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
  const current = registered.find((row) => row.id === id);
  if (current) {
    await confirmKey(database, current, now);
    return false;
  }
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
  const rows = await database.read.selectFrom('secret_keys').select(['id', 'created_at']).execute();
  const unknown = rows.map((row) => row.id).filter((each) => !keyring.has(each));
  const current = rows.find((row) => row.id === id);
  const isReplaced = id !== undefined && !current;
  if (isReplaced) await registerCurrentKey(database, now);
  if (current) await confirmKey(database, current, now);
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

// The time of a key while `secrets rotate` asks whether a server encrypts under it.
const asked = 0;

/** Answers `secrets rotate`, if it asks: a running server encrypts under this key. */
async function confirmKey(
  database: Database,
  { id, created_at }: Pick<Schema['secret_keys'], 'id' | 'created_at'>,
  now: number,
): Promise<void> {
  if (created_at !== asked) return;
  await database.writeDirectly(async (transaction) => {
    await transaction
      .updateTable('secret_keys')
      .set({ created_at: now })
      .where('id', '=', id)
      .execute();
  });
}

/**
 * Fails if a server encrypts under another key than the current one, because it may not have the current
 * key. Marks the other keys, and reads after each pause whether `checkServerKeys` of a server has
 * confirmed one. The server of a SQLite file has all registered keys since its start.
 *
 * @throws {ConfigError} if a server has confirmed another key
 */
export async function requireNoOtherServerKey(
  { engine, read, keyring, writeDirectly }: Database,
  pauses: AsyncIterable<unknown>,
): Promise<void> {
  if (engine === 'sqlite') return;
  const { currentId = '' } = keyring;
  const others = await writeDirectly((transaction) =>
    transaction
      .updateTable('secret_keys')
      .set({ created_at: asked })
      .where('id', '<>', currentId)
      .returning('id')
      .execute(),
  );
  if (others.length === 0) return;
  for await (const _ of pauses) {
    const confirmed = await read
      .selectFrom('secret_keys')
      .select('id')
      .where('id', '<>', currentId)
      .where('created_at', '<>', asked)
      .execute();
    if (confirmed.length === 0) continue;
    throw new ConfigError(
      `a running server encrypts secrets under the key ${confirmed.map(({ id }) => id).join(', ')}, and may not have the key ${currentId}: restart each server with the new key as SHORTY_SECRET_KEY and the old one as SHORTY_SECRET_KEY_PREVIOUS, and run the command again; no secret was changed`,
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
