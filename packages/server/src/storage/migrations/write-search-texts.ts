import { type RawBuilder, type Selectable, type SqlBool, sql, type Updateable } from 'kysely';
import type { Engine, Schema, UpdateEach, WriteTransaction } from '../database.js';
import { readInBatches } from '../read-in-batches.js';
import { searchTextOf } from '../search-text.js';

/** Computes `search_text` of the links for which `condition` is true. */
export async function writeSearchTexts(
  transaction: WriteTransaction,
  engine: Engine,
  updateEach: UpdateEach,
  condition: RawBuilder<SqlBool>,
): Promise<void> {
  await writeEachLink(transaction, engine, updateEach, condition, (url) => ({
    search_text: searchTextOf(url),
  }));
}

/** Sets columns that are computed from the others, of the links for which `condition` is true. */
export async function writeEachLink(
  transaction: WriteTransaction,
  engine: Engine,
  updateEach: UpdateEach,
  condition: RawBuilder<SqlBool>,
  setOf: (url: Selectable<Schema['urls']>) => Updateable<Schema['urls']>,
): Promise<void> {
  // No cached field changes, so no node has to evict the links.
  const setTrigger = async (state: 'enable' | 'disable') => {
    if (engine !== 'postgres') return;
    await sql`alter table urls ${sql.raw(state)} trigger tell_update`.execute(transaction);
  };
  await setTrigger('disable');
  const from = sql`from urls as own where ${condition}`;
  for await (const urls of readInBatches<Selectable<Schema['urls']>>(transaction, from, ['id'])) {
    const rows = urls.map((url) => ({ set: setOf(url), where: { id: url.id } }));
    await updateEach(transaction, 'urls', rows);
  }
  await setTrigger('enable');
}
