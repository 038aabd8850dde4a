import { sql } from 'kysely';
import type { Database, Value, WriteLock, WriteTransaction } from '../storage/database.js';
import { runInBatches } from '../storage/run-in-batches.js';
import { childrenOf, keyOf, type Owner, ownerOf, type Table } from '../storage/schema.js';
import { retireKeys } from '../urls/retired-keys.js';

// The rows that one transaction deletes. On SQLite, it blocks all other writes.
const rowsAtOnce = 100;

export interface Deletion {
  readonly database: Database;
  readonly organizationId: string;
  /** The lock of each transaction. */
  readonly lock: WriteLock;
  /** Returns whether a transaction may delete, because the organization is still to be deleted. */
  readonly mayDelete: (transaction: WriteTransaction) => Promise<boolean>;
  /** Whether nobody may have the deleted keys of links again. */
  readonly retiresKeys: boolean;
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
  column: string,
  owners: readonly Value[],
): Promise<void> {
  const { database, organizationId, lock, mayDelete, retiresKeys, signal } = deletion;
  const children = childrenOf(table);
  const key = keyOf(table);
  const columns = sql.join(key.map((name) => sql.ref(name)));
  const some = sql<Readonly<Record<string, Value>>>`select ${columns} from ${sql.table(table)}
    where ${sql.ref(column)} in (${sql.join(owners)}) limit ${rowsAtOnce}`;
  const deleteSome = async () => {
    const { rows } = await some.execute(database.read);
    if (rows.length === 0) return 0;
    const ids = rows.map(({ id }) => id as Value);
    for (const child of children) await deleteRows(deletion, child, columnOfOwner(child), ids);
    if (signal?.aborted) return 0;
    const isOneOf = rows.map((row) => {
      const values = key.map((name) => sql`${sql.ref(name)} = ${row[name]}`);
      return sql`(${sql.join(values, sql` and `)})`;
    });
    await database.writeDirectly(async (transaction) => {
      if (!(await mayDelete(transaction))) return;
      if (retiresKeys && table === 'url_keys') {
        // The owner of a custom domain decides what its other keys show.
        const onPlatform = rows.filter(({ domain_key }) => domain_key === '');
        const keys = await transaction
          .selectFrom('url_keys')
          .selectAll()
          .where('domain_key', '=', '')
          .where('key', 'in', ['', ...onPlatform.map(({ key }) => String(key))])
          .execute();
        await retireKeys(transaction, organizationId, keys);
      }
      await sql`delete from ${sql.table(table)} where ${sql.join(isOneOf, sql` or `)}`.execute(
        transaction,
      );
      // Tables without a foreign key may have got some meanwhile.
      for (const child of children) {
        await sql`delete from ${sql.table(child)}
          where ${sql.ref(columnOfOwner(child))} in (${sql.join(ids)})`.execute(transaction);
      }
    }, lock);
    return rows.length;
  };
  await runInBatches(rowsAtOnce, deleteSome, signal);
}

export function columnOfOwner(table: Table): string {
  return (ownerOf(table) as Owner).column;
}
