import { type Kysely, sql } from 'kysely';
import { runInBatches } from '../storage/batches.js';
import type { Schema, Value, WriteTransaction } from '../storage/database.js';
import { childrenOf, keyOf, type Owner, ownerOf, type Table } from '../storage/schema.js';
import { type DomainAndKey, retireKeys } from '../urls/url-keys.js';

// The rows that one transaction deletes. On SQLite, it blocks all other writes.
const rowsAtOnce = 100;

export interface Deletion {
  readonly read: Kysely<Schema>;
  /** Runs a transaction, unless the rows are no longer to be deleted. */
  readonly write: (work: (transaction: WriteTransaction) => Promise<unknown>) => Promise<unknown>;
  /** The organization whose deleted keys of links nobody may have again; undefined retires none. */
  readonly retiresKeysOf: string | undefined;
  readonly signal: AbortSignal | undefined;
}

/**
 * Deletes the rows of a table that have one of these owners, and before them everything that belongs to
 * them, in transactions of a few rows. An index of the owner must find them. Stops early when the signal
 * aborts; a repeated call continues.
 */
export async function deleteRows(
  deletion: Deletion,
  table: Table,
  owners: readonly Value[],
  column = columnOfOwner(table),
): Promise<void> {
  const { read, write, retiresKeysOf, signal } = deletion;
  const children = childrenOf(table);
  const key = keyOf(table);
  const columns = sql.join(key.map((name) => sql.ref(name)));
  const some = sql<Readonly<Record<string, Value>>>`select ${columns} from ${sql.table(table)}
    where ${sql.ref(column)} in (${sql.join(owners)}) limit ${rowsAtOnce}`;
  const deleteSome = async () => {
    const { rows } = await some.execute(read);
    if (rows.length === 0) return 0;
    const ids = rows.map(({ id }) => id as Value);
    for (const child of children) await deleteRows(deletion, child, ids);
    if (signal?.aborted) return 0;
    const isOneOf = rows.map((row) => {
      const values = key.map((name) => sql`${sql.ref(name)} = ${row[name]}`);
      return sql`(${sql.join(values, sql` and `)})`;
    });
    await write(async (transaction) => {
      if (retiresKeysOf !== undefined && table === 'url_keys') {
        // The owner of a custom domain decides what its other keys show.
        const keys = (rows as unknown as readonly DomainAndKey[]).filter(
          ({ domain_key }) => domain_key === '',
        );
        await retireKeys(transaction, retiresKeysOf, keys);
      }
      await sql`delete from ${sql.table(table)} where ${sql.join(isOneOf, sql` or `)}`.execute(
        transaction,
      );
      // Tables without a foreign key may have got some meanwhile.
      for (const child of children) await deleteAll(transaction, child, ids);
    });
    return rows.length;
  };
  await runInBatches(rowsAtOnce, deleteSome, signal);
}

/** Deletes the rows of a table that have one of these owners, which are few. */
export function deleteAll(
  transaction: WriteTransaction,
  table: Table,
  owners: readonly Value[],
): Promise<unknown> {
  return sql`delete from ${sql.table(table)}
    where ${sql.ref(columnOfOwner(table))} in (${sql.join(owners)})`.execute(transaction);
}

function columnOfOwner(table: Table): string {
  return (ownerOf(table) as Owner).column;
}
