import type { Kysely } from 'kysely';
import type { Database, Schema, WriteTransaction } from '../storage/database.js';

// A commit for each block is not noticeable, even while bulk requests take 100 ids each.
const idsPerBlock = 1_000;

/**
 * Allocates the ids of new links. On PostgreSQL, a statement outside the transaction reserves a block
 * of ids for this node. Otherwise the transactions of all organizations would wait for the row of the
 * counter. Ids that a stopped node has reserved and not used remain unused.
 */
export class UrlIds {
  readonly #database: Database;
  #next = 0;
  /** The number of reserved ids that are free. */
  #free = 0;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Returns the first of `count` consecutive ids. */
  async allocate(transaction: WriteTransaction, count: number): Promise<number> {
    const { engine, read: outside } = this.#database;
    if (engine === 'sqlite') return reserveUrlIds(transaction, count);
    if (count > idsPerBlock) return reserveUrlIds(outside, count);
    if (this.#free < count) {
      this.#next = await reserveUrlIds(outside, idsPerBlock);
      this.#free = idsPerBlock;
    }
    const first = this.#next;
    this.#next += count;
    this.#free -= count;
    return first;
  }
}

/** Reserves `count` consecutive link ids. Returns the first of them. */
export async function reserveUrlIds(db: Kysely<Schema>, count: number): Promise<number> {
  const { last_id } = await db
    .updateTable('url_id_counter')
    .set((counter) => ({ last_id: counter('last_id', '+', count) }))
    .returning('last_id')
    .executeTakeFirstOrThrow();
  return last_id - count + 1;
}
