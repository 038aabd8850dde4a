import { sql } from 'kysely';
import type { Database, Value, WriteLock, WriteTransaction } from '../storage/database.js';
import {
  childrenOf,
  keyOf,
  type Owner,
  ownerOf,
  referencesOf,
  type Table,
} from '../storage/schema.js';
import { retireKeys } from '../urls/retired-keys.js';
import { deleteEventsWithoutDeliveries } from '../webhooks/delivery-pruner.js';
import { yieldToEventLoop } from '../yield-to-event-loop.js';

type Row = Readonly<Record<string, Value>>;

// The rows that one transaction deletes. On SQLite, it blocks all other writes.
const rowsAtOnce = 50;

/**
 * Deletes the rows of an organization in all tables, in transactions of a few rows. Owned rows go
 * before their owners, so a repeated call continues. Stops early when the signal aborts.
 */
export async function deleteRowsOf(
  database: Database,
  organizationId: string,
  signal?: AbortSignal,
): Promise<void> {
  const deletion = new RowDeletion(database, organizationId, 'exclusive', signal);
  for (const table of rootsInOrder()) {
    await deletion.deleteWhere(table, columnOfOwner(table), [organizationId]);
  }
}

/** Deletes rows with what belongs to them, in transactions of a few rows. */
export class RowDeletion {
  readonly #database: Database;
  readonly #organizationId: string;
  readonly #lock: WriteLock;
  readonly #signal: AbortSignal | undefined;

  /** Each transaction holds `lock`. Only 'exclusive' keeps the server from adding rows meanwhile. */
  constructor(
    database: Database,
    organizationId: string,
    lock: WriteLock,
    signal: AbortSignal | undefined,
  ) {
    this.#database = database;
    this.#organizationId = organizationId;
    this.#lock = lock;
    this.#signal = signal;
  }

  /** Deletes the rows of a table that have one of these owners, by which an index must order the table. */
  async deleteWhere(table: Table, column: string, owners: readonly Value[]): Promise<void> {
    const columns = sql.join(keyOf(table).map((name) => sql.ref(name)));
    while (!this.#signal?.aborted) {
      const { rows } = await sql<Row>`select ${columns} from ${sql.table(table)}
        where ${sql.ref(column)} in (${sql.join(owners)}) limit ${rowsAtOnce}`.execute(
        this.#database.read,
      );
      if (rows.length === 0) return;
      await this.#deleteRows(table, rows);
    }
  }

  /** Deletes rows by their keys, in one transaction, after most of what belongs to them. */
  async #deleteRows(table: Table, rows: readonly Row[]): Promise<void> {
    const ids = rows.map(({ id }) => id as Value);
    const children = childrenOf(table);
    for (const child of children) {
      await this.deleteWhere(child, columnOfOwner(child), ids);
    }
    if (this.#signal?.aborted) return;
    const key = keyOf(table);
    const isOneOf = rows.map((row) => {
      const values = key.map((name) => sql`${sql.ref(name)} = ${row[name]}`);
      return sql`(${sql.join(values, sql` and `)})`;
    });
    await this.#database.writeDirectly(async (transaction) => {
      if (table === 'url_keys') await this.#retire(transaction, rows);
      const eventIds = table === 'deliveries' ? await findEventIds(transaction, ids) : [];
      await sql`delete from ${sql.table(table)} where ${sql.join(isOneOf, sql` or `)}`.execute(
        transaction,
      );
      // Another transaction may have added some, while it held the lock of the owner's row.
      for (const child of children) {
        await sql`delete from ${sql.table(child)}
          where ${sql.ref(columnOfOwner(child))} in (${sql.join(ids)})`.execute(transaction);
      }
      if (eventIds.length > 0) await deleteEventsWithoutDeliveries(transaction, eventIds);
    }, this.#lock);
    await yieldToEventLoop();
  }

  #retire(transaction: WriteTransaction, rows: readonly Row[]): Promise<void> {
    const onPlatform = rows.filter(({ domain_key }) => domain_key === '');
    const keys = onPlatform.map(({ key }) => ({ domain_key: '', key: String(key) }));
    return retireKeys(transaction, this.#organizationId, keys);
  }
}

async function findEventIds(
  transaction: WriteTransaction,
  deliveryIds: readonly Value[],
): Promise<string[]> {
  const rows = await transaction
    .selectFrom('deliveries')
    .select('event_id')
    .distinct()
    .where('id', 'in', deliveryIds as string[])
    .execute();
  return rows.map(({ event_id }) => event_id);
}

function columnOfOwner(table: Table): string {
  return (ownerOf(table) as Owner).column;
}

/** Returns the tables of an organization, each before those that its rows or what they own refer to. */
function rootsInOrder(): Table[] {
  const ordered: Table[] = [];
  const remaining = new Set(childrenOf('organizations'));
  const familyOf = (table: Table): Table[] => [table, ...childrenOf(table).flatMap(familyOf)];
  const refersTo = (table: Table, other: Table) =>
    familyOf(table).some((each) => referencesOf(each).includes(other));
  while (remaining.size > 0) {
    const next = [...remaining].find((table) =>
      [...remaining].every((other) => other === table || !refersTo(other, table)),
    );
    if (!next) throw new Error(`tables refer to each other: ${[...remaining].join()}`);
    ordered.push(next);
    remaining.delete(next);
  }
  return ordered;
}
