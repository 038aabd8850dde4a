import { type Selectable, sql } from 'kysely';
import type { Database, Schema } from '../storage/database.js';
import { readInBatches } from '../storage/read-in-batches.js';
import { searchTextOf } from '../storage/search-text.js';

type UrlRow = Selectable<Schema['urls']>;

const rowsAtOnce = 2_000;

/**
 * Compares search texts and the search index with the links. `outdated` has the ids of the links whose
 * search text differs from their fields.
 */
export async function diagnoseSearch(database: Database) {
  const outdated: number[] = [];
  const from = sql`from urls as own where true`;
  for await (const urls of readInBatches<UrlRow>(database.read, from, ['id'])) {
    for (const url of urls) if (url.search_text !== searchTextOf(url)) outdated.push(url.id);
  }
  return { outdated, ...(await database.searchIndex.diagnose()) };
}

/** Repairs the search texts and the index. Running servers index the links again in the background. */
export async function repairSearch(
  database: Database,
  { outdated, unindexed, index }: Awaited<ReturnType<typeof diagnoseSearch>>,
): Promise<void> {
  for (let at = 0; at < outdated.length; at += rowsAtOnce) {
    const ids = outdated.slice(at, at + rowsAtOnce);
    await database.writeDirectly(async (transaction) => {
      const rows = await transaction
        .selectFrom('urls')
        .select(['id', 'title', 'target_url', 'custom_slug', 'short_code', 'description', 'tags'])
        .where('id', 'in', ids)
        .execute();
      await database.updateEach(
        transaction,
        'urls',
        rows.map(({ id, ...fields }) => ({
          set: { search_text: searchTextOf(fields) },
          where: { id },
        })),
      );
    }, 'exclusive');
  }
  if (unindexed > 0 || index === 'damaged' || index === 'missing') {
    await database.searchIndex.repair();
  }
}
