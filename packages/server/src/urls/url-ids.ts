import type { Kysely } from 'kysely';
import type { Database, Schema } from '../storage/database.js';

const idsPerBlock = 1_000;

/**
 * Allocates the ids of new links, outside the transactions that create them, which would otherwise wait for
 * the row of the counter. Each process reserves blocks of ids. Those that it has not used when it stops
 * remain unused.
 */
export class UrlIds {
  readonly #database: Database;
  #next = 0;
  /** The first id behind the block. */
  #end = 0;
  #reserving: Promise<void> | undefined;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Returns the first of `count` consecutive ids, at most a block. */
  async allocate(count: number): Promise<number> {
    while (this.#end - this.#next < count) {
      // Concurrent calls share one block.
      this.#reserving ??= this.#reserve().finally(() => {
        this.#reserving = undefined;
      });
      await this.#reserving;
    }
    const first = this.#next;
    this.#next += count;
    return first;
  }

  async #reserve(): Promise<void> {
    const reserve = (db: Kysely<Schema>) => reserveUrlIds(db, idsPerBlock);
    this.#next = await this.#database.writeDirectly(reserve, 'rows');
    this.#end = this.#next + idsPerBlock;
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
