import { sql } from 'kysely';
import type { Database, Schema, Value, WriteTransaction } from './database.js';
import { isEncrypted, keyIdIn, type Place, UnreadableSecretError } from './keyring.js';
import type { Row } from './read-in-batches.js';
import { keyOf } from './schema.js';

/** The columns that hold secrets of others. Hashes are not among them. */
const columnsOf = {
  webhooks: ['secret', 'previous_secret', 'oldest_secret', 'headers'],
  // Only the results that contain a secret.
  idempotency_keys: ['result'],
} as const satisfies { readonly [table in keyof Schema]?: readonly (keyof Schema[table])[] };

type SecretTable = keyof typeof columnsOf;

const secretTables = Object.keys(columnsOf) as SecretTable[];

/** Returns what the secret of a webhook is bound to. */
export function placeOf(table: SecretTable, column: string, key: readonly string[]): Place {
  return [table, column, ...key];
}

/** Returns a webhook's headers with changed values. Their names are no secrets. */
export function mapHeaders(
  headers: string,
  webhookId: string,
  change: (value: string, place: Place) => string,
): string {
  const entries = Object.entries(JSON.parse(headers) as Record<string, string>);
  return JSON.stringify(
    Object.fromEntries(
      entries.map(([name, value]) => [
        name,
        change(value, [...placeOf('webhooks', 'headers', [webhookId]), name]),
      ]),
    ),
  );
}

/** Returns a row of any table with its secrets changed. */
export function mapSecrets(
  table: keyof Schema,
  row: Row,
  change: (value: string, place: Place) => string,
): Row {
  if (!isSecretTable(table)) return row;
  const key = keyOf(table).map((column) => String(row[column]));
  const changed: Record<string, Value> = { ...row };
  for (const column of columnsOf[table]) {
    const stored = row[column];
    // A deleted webhook has an empty secret.
    if (typeof stored !== 'string' || stored === '') continue;
    if (column === 'headers') changed[column] = mapHeaders(stored, key[0] as string, change);
    else if (column !== 'result' || isEncrypted(stored) || stored.includes(secretInResult)) {
      changed[column] = change(stored, placeOf(table, column, key));
    }
  }
  return changed;
}

function isSecretTable(table: keyof Schema): table is SecretTable {
  return Object.hasOwn(columnsOf, table);
}

// Versions without encryption stored the results of creating webhooks and of rotating secrets.
const secretInResult = '"secret":"shorty_ws_';

const filters = {
  webhooks: sql`deleted_at is null`,
  idempotency_keys: sql`(result like 'enc:%' or result like ${`%${secretInResult}%`})`,
} as const;

// Limits the time of the write lock.
const rowsAtOnce = 50;

export interface ChangedSecrets {
  /** The number of values that are encrypted under the current key now, and were not before. */
  readonly changed: number;
  /** Why values could not be decrypted. */
  readonly unreadable: readonly string[];
}

/**
 * Encrypts the values that are not encrypted, and with `all` also those under other keys, in transactions
 * of a few rows. May be ended at any time and run again.
 */
export async function encryptStored(
  database: Database,
  {
    all,
    tables = secretTables,
  }: { readonly all: boolean; readonly tables?: readonly SecretTable[] },
): Promise<ChangedSecrets> {
  await overwriteDeleted(database, true);
  let changed = 0;
  const unreadable: string[] = [];
  for (const table of tables) {
    let last: readonly Value[] | undefined;
    do {
      const batch = await database.writeDirectly((transaction) =>
        encryptBatch(database, transaction, { table, all, last }),
      );
      changed += batch.changed;
      unreadable.push(...batch.unreadable);
      last = batch.last;
    } while (last !== undefined);
  }
  await overwriteDeleted(database, false);
  return { changed, unreadable };
}

/** SQLite: overwrites the old values, which would otherwise remain in unused parts of the file. */
async function overwriteDeleted(database: Database, isOn: boolean): Promise<void> {
  if (database.engine !== 'sqlite') return;
  await database.writeDirectly(async (transaction) => {
    await sql.raw(`pragma secure_delete = ${isOn ? 'on' : 'off'}`).execute(transaction);
  });
}

interface Batch {
  readonly table: SecretTable;
  readonly all: boolean;
  /** The key of the last row of the batch before. */
  readonly last: readonly Value[] | undefined;
}

async function encryptBatch(
  { keyring }: Database,
  transaction: WriteTransaction,
  { table, all, last }: Batch,
) {
  let changed = 0;
  const unreadable: string[] = [];
  const encrypt = (stored: string, place: Place): string => {
    if (keyIdIn(stored) === keyring.currentId || (isEncrypted(stored) && !all)) return stored;
    try {
      const text = keyring.encrypt(keyring.decrypt(stored, place), place);
      changed += 1;
      return text;
    } catch (error) {
      unreadable.push(reasonOf(error));
      return stored;
    }
  };
  const key = keyOf(table);
  const keyColumns = columnList(key);
  const after = last === undefined ? sql`` : sql`and (${keyColumns}) > (${sql.join(last)})`;
  const { rows } = await sql<Row>`
    select ${columnList([...key, ...columnsOf[table]])} from ${sql.table(table)}
    where ${filters[table]} ${after}
    order by ${keyColumns} limit ${sql.lit(rowsAtOnce)}`.execute(transaction);
  for (const row of rows) {
    const encrypted = mapSecrets(table, row, encrypt);
    const assignments = columnsOf[table]
      .filter((column) => encrypted[column] !== row[column])
      .map((column) => sql`${sql.ref(column)} = ${encrypted[column]}`);
    if (assignments.length === 0) continue;
    const matches = key.map((column) => sql`${sql.ref(column)} = ${row[column]}`);
    await sql`update ${sql.table(table)} set ${sql.join(assignments)}
      where ${sql.join(matches, sql` and `)}`.execute(transaction);
  }
  const end = rows.length < rowsAtOnce ? undefined : rows.at(-1);
  return { changed, unreadable, last: end && key.map((column) => end[column] ?? null) };
}

function columnList(columns: readonly string[]) {
  return sql.join(columns.map((column) => sql.ref(column)));
}

/** Returns why a value cannot be decrypted. Throws any other error. */
function reasonOf(error: unknown): string {
  if (error instanceof UnreadableSecretError) return error.message;
  throw error;
}

/** What `encryptStored` would find. Changes nothing. */
export async function countStored({ read, keyring }: Database) {
  /** The number of values by the id of their key; `undefined` counts those that are not encrypted. */
  const byKey = new Map<string | undefined, number>();
  const unreadable: string[] = [];
  const count = (stored: string, place: Place): string => {
    const keyId = keyIdIn(stored);
    byKey.set(keyId, (byKey.get(keyId) ?? 0) + 1);
    try {
      keyring.decrypt(stored, place);
    } catch (error) {
      unreadable.push(reasonOf(error));
    }
    return stored;
  };
  for (const table of secretTables) {
    const { rows } = await sql<Row>`
      select * from ${sql.table(table)} where ${filters[table]}`.execute(read);
    for (const row of rows) mapSecrets(table, row, count);
  }
  return { byKey, unreadable };
}

/** Whether a webhook has an encrypted secret. */
export async function hasEncrypted({ read }: Database): Promise<boolean> {
  const any = read.selectFrom('webhooks').select('id').where('secret', 'like', 'enc:%').limit(1);
  return (await any.executeTakeFirst()) !== undefined;
}
