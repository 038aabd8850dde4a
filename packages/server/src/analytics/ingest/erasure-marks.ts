import { type Kysely, sql } from 'kysely';
import {
  type Schema,
  StorageUnavailableError,
  type WriteTransaction,
} from '../../storage/database.js';

/** A link that is erased, or whose visits are. */
export interface ErasedLink {
  readonly urlId: number;
  readonly organizationId: string;
}

/** A link whose visits up to an instant are erased. */
export interface Erasure extends ErasedLink {
  /** Visits of this millisecond are erased, too. */
  readonly until: number;
}

/**
 * Marks a link for the erasure of its visits up to `now`. From the commit on, no later transaction stores
 * such a visit, whenever its journal is read.
 */
export async function markErased(
  transaction: WriteTransaction,
  urlId: number,
  now: number,
): Promise<void> {
  await transaction
    .insertInto('url_clicks')
    .values({ url_id: urlId, clicks: 0, erased_until: now, erasure_pending: 1 })
    .onConflict((conflict) =>
      conflict.column('url_id').doUpdateSet({
        erasure_pending: 1,
        // The clock of another node may be ahead.
        erased_until: sql<number>`case when url_clicks.erased_until > ${now}
          then url_clicks.erased_until else ${now} end`,
      }),
    )
    .execute();
}

/** Returns whether the erasure of a link's visits is not finished. */
export async function isErasurePending(db: Kysely<Schema>, urlId: number): Promise<boolean> {
  const row = await db
    .selectFrom('url_clicks')
    .select('url_id')
    .where('url_id', '=', urlId)
    .where('erasure_pending', '=', 1)
    .executeTakeFirst();
  return row !== undefined;
}

// Each waits for some seconds.
const maxWaits = 4;

/** Repeats `erase` while an erasure is pending, for about 15 seconds. The erasure continues then. */
export async function untilErased(
  isPending: () => Promise<boolean>,
  erase: () => Promise<unknown>,
): Promise<void> {
  for (let waits = 0; await isPending(); waits += 1) {
    if (waits > maxWaits) {
      throw new StorageUnavailableError(
        'the erasure continues: repeat the request with the same Idempotency-Key',
      );
    }
    await erase();
  }
}

/** Returns a marked link that is not among those that failed. */
export function findErasure(
  db: Kysely<Schema>,
  failed: ReadonlyMap<number, unknown>,
): Promise<Erasure | undefined> {
  return db
    .selectFrom('url_clicks')
    .innerJoin('urls', 'urls.id', 'url_clicks.url_id')
    .select(['url_id as urlId', 'organization_id as organizationId', 'erased_until as until'])
    .where('erasure_pending', '=', 1)
    .$if(failed.size > 0, (query) => query.where('url_id', 'not in', [...failed.keys()]))
    .orderBy('url_id')
    .limit(1)
    .executeTakeFirst();
}
