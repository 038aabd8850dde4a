import type { WriteTransaction } from '../storage/database.js';

/** Reserves `count` consecutive link ids in this transaction and returns the first of them. */
export async function allocateUrlIds(
  transaction: WriteTransaction,
  count: number,
): Promise<number> {
  const { last_id } = await transaction
    .updateTable('url_id_counter')
    .set((counter) => ({ last_id: counter('last_id', '+', count) }))
    .returning('last_id')
    .executeTakeFirstOrThrow();
  return last_id - count + 1;
}
