import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { ConfigError } from '../config-error.js';
import { type Row, readInBatches } from './batches.js';
import type { Database, Value, WriteTransaction } from './database.js';
import { type Place, UnreadableSecretError } from './keyring.js';
import { findDatabaseFile } from './locate-database.js';
import { definitionOf, keyOf, type Table, tableNames } from './schema.js';
import { bulkInsert, updateEach } from './statements.js';

export type Encrypt = (text: string, place: Place) => string;

export interface SecretKeySettings {
  readonly databaseUrl: string;
  readonly secretKey?: string | undefined;
  readonly previousSecretKey?: string | undefined;
}

/** Returns the keys of stored secrets: those of the settings, and the one that a server generated. */
export async function findSecretKeys(
  database: Database,
  { secretKey, previousSecretKey }: SecretKeySettings,
): Promise<string[]> {
  const generated = await database.loadKey(undefined);
  return [secretKey, generated, previousSecretKey].filter((key) => key !== undefined);
}

/**
 * Sets the keys of the database's keyring, and generates one for a new database without settings.
 *
 * @throws {ConfigError} if secrets are encrypted under a key that is not among these; nothing is changed
 */
export async function unlockSecrets(
  database: Database,
  settings: SecretKeySettings,
): Promise<void> {
  const { keyring, read } = database;
  const row = await read.selectFrom('secret_key').selectAll().executeTakeFirst();
  const used = [row?.key_id, row?.previous_key_id].filter((keyId) => keyId != null);
  const keys = await findSecretKeys(database, settings);
  const file = findDatabaseFile(settings.databaseUrl);
  if (keys.length === 0 && row) {
    const [missing, remedy] = file
      ? [`${file}.key is missing`, 'restore the file from a backup, or ']
      : ['SHORTY_SECRET_KEY is not set', ''];
    throw new ConfigError(
      `${missing}, and secrets are encrypted under the key ${used.join(' and ')}: ${remedy}set SHORTY_SECRET_KEY to the key; ${ifLost}`,
    );
  }
  if (keys.length === 0) keys.push(await database.loadKey(randomBytes(32).toString('base64url')));
  keyring.use(keys);
  if (used.every((keyId) => keyring.has(keyId))) {
    if (row) return;
    const first = { id: 1, key_id: keyring.firstId ?? '' };
    await database.writeDirectly(
      (transaction) => bulkInsert(transaction, 'secret_key', [first], 'on conflict do nothing'),
      'rows',
    );
    // Another node may have been the first.
    return unlockSecrets(database, settings);
  }
  const wrong = file && settings.secretKey === undefined ? `${file}.key` : 'SHORTY_SECRET_KEY';
  throw new ConfigError(
    `stored secrets are encrypted under the key ${used.join(' and ')}, and ${wrong} is the key ${keyring.firstId}: set the right key, or set the old one as SHORTY_SECRET_KEY_PREVIOUS; ${ifLost}`,
  );
}

const ifLost = 'if it is lost, see "If the key is lost" in docs/backups.md';

/**
 * Returns what encrypts secrets in a transaction: the key of the installation, which `secrets rotate`
 * replaces. A server that does not have the new key yet cannot encrypt, so no secret is lost.
 */
export async function encryptorOf(
  { engine, keyring }: Database,
  transaction: WriteTransaction,
): Promise<Encrypt> {
  const query = transaction.selectFrom('secret_key').select('key_id');
  // `secrets rotate` waits for this transaction, and then finds what it has encrypted.
  const row = await (engine === 'postgres' ? query.forShare() : query).executeTakeFirst();
  if (!row) throw new Error('the secrets of the database are not unlocked');
  return (text, place) => keyring.encrypt(text, place, row.key_id);
}

/**
 * Encrypts all secrets under the first key, beside running servers, which must have it. May be ended at
 * any time and run again. Returns the number of secrets that were under another key, and why others
 * cannot be decrypted.
 */
export async function rotateSecrets(database: Database) {
  const { keyring, writeDirectly } = database;
  const { firstId = '' } = keyring;
  // From now on, servers encrypt under the new key, and none starts without the one before.
  const useKey = sql`update secret_key set key_id = ${firstId}, previous_key_id = key_id
    where key_id <> ${firstId}`;
  await writeDirectly((transaction) => useKey.execute(transaction), 'rows');
  let changed = 0;
  const unreadable = new Set<string>();
  for await (const { table, column, rows } of storedSecrets(database, firstId)) {
    const changes = rows.flatMap((row) => {
      const text = decryptOrNote(database, table, column, row, unreadable);
      if (text === undefined) return [];
      // Not a secret that a server has replaced since it was read.
      const where = Object.fromEntries([...keyOf(table), column].map((name) => [name, row[name]]));
      return [{ set: { [column]: keyring.encrypt(text, placeOf(table, row), firstId) }, where }];
    });
    const done = await writeDirectly(
      (transaction) => updateEach(transaction, table, changes as never[]),
      'rows',
    );
    changed += done.filter(Boolean).length;
  }
  const forgetPrevious = sql`update secret_key set previous_key_id = null`;
  await writeDirectly((transaction) => forgetPrevious.execute(transaction), 'rows');
  return { changed, unreadable: [...unreadable] };
}

/** Decrypts all secrets. Returns their number, and why some cannot be decrypted. */
export async function checkSecrets(database: Database) {
  let count = 0;
  const unreadable = new Set<string>();
  for await (const { table, column, rows } of storedSecrets(database)) {
    count += rows.length;
    for (const row of rows) decryptOrNote(database, table, column, row, unreadable);
  }
  return { count, unreadable: [...unreadable] };
}

/** Returns undefined for a secret that cannot be decrypted. */
function decryptOrNote(
  { keyring }: Database,
  table: Table,
  column: string,
  row: Row,
  unreadable: Set<string>,
): string | undefined {
  try {
    return keyring.decrypt(String(row[column]), placeOf(table, row));
  } catch (error) {
    if (!(error instanceof UnreadableSecretError)) throw error;
    unreadable.add(error.message);
    return undefined;
  }
}

/** Yields the rows whose secret in a column is under another key than this one. */
async function* storedSecrets({ read }: Database, exceptKeyId = '') {
  for (const table of tableNames) {
    for (const column of secretColumnsOf(table)) {
      const own = sql.ref(`own.${column}`);
      const from = sql`from ${sql.table(table)} as own
        where ${own} like 'enc:%' and ${own} not like ${`enc:${exceptKeyId}:%`}`;
      for await (const rows of readInBatches(read, from, keyOf(table)))
        yield { table, column, rows };
    }
  }
}

/** Returns a row with its secrets changed. Some are not encrypted: results that contain no secret. */
export function mapSecrets(table: Table, row: Row, change: Encrypt): Row {
  const changed: Record<string, Value> = { ...row };
  for (const column of secretColumnsOf(table)) {
    const stored = row[column];
    // A deleted webhook has an empty secret.
    if (typeof stored === 'string' && stored !== '')
      changed[column] = change(stored, placeOf(table, row));
  }
  return changed;
}

function placeOf(table: Table, row: Row): Place {
  return [table, ...keyOf(table).map((column) => String(row[column]))];
}

function secretColumnsOf(table: Table): string[] {
  const columns = Object.entries(definitionOf(table).columns);
  return columns.filter(([, definition]) => /^secret\b/.test(definition)).map(([name]) => name);
}
