import type { Kysely } from 'kysely';
import type { Database, Schema } from '../storage/database.js';

const idsPerBlock = 1_000;

/**
 * Returns a function that allocates the ids of new links and returns the first of `count`, at most a block. It
 * does so outside the transactions that create them, which would otherwise wait for the row of the counter.
 * Each process reserves blocks of ids. Those that it has not used when it stops remain unused.
 */
export function urlIdAllocator(database: Database): (count: number) => Promise<number> {
  let next = 0;
  /** The first id behind the block. */
  let end = 0;
  let reserving: Promise<void> | undefined;

  async function reserve(): Promise<void> {
    next = await database.writeDirectly((db) => reserveUrlIds(db, idsPerBlock), 'rows');
    end = next + idsPerBlock;
  }
  return async (count) => {
    while (end - next < count) {
      // Concurrent calls share one block.
      reserving ??= reserve().finally(() => {
        reserving = undefined;
      });
      await reserving;
    }
    next += count;
    return next - count;
  };
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
