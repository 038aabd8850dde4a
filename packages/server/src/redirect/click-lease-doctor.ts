import { sql } from 'kysely';
import type { Database } from '../storage/database.js';

/** Clicks of a link that a process has leased, and neither used nor given back for long. */
export interface StaleLease {
  readonly urlId: number;
  readonly writerId: string;
  readonly clicks: number;
  readonly updatedAt: number;
}

// A running process gives unused clicks back within seconds.
const staleMs = 24 * 60 * 60_000;

/** Finds leases of processes that have ended and whose journals no node has read. */
export async function findStaleLeases(
  { read }: Pick<Database, 'read'>,
  now: number,
): Promise<readonly StaleLease[]> {
  return read
    .selectFrom('click_leases')
    .select(['url_id as urlId', 'writer_id as writerId', 'clicks', 'updated_at as updatedAt'])
    .where('updated_at', '<', now - staleMs)
    .orderBy('url_id')
    .orderBy('writer_id')
    .execute();
}

/** Ends stale leases. Their clicks may have been used, so they count as used. */
export async function endStaleLeases(
  { writeDirectly }: Pick<Database, 'writeDirectly'>,
  stale: readonly StaleLease[],
): Promise<void> {
  await writeDirectly(async (transaction) => {
    for (const { urlId, writerId, updatedAt } of stale) {
      const ended = await transaction
        .deleteFrom('click_leases')
        .where('url_id', '=', urlId)
        .where('writer_id', '=', writerId)
        .where('updated_at', '=', updatedAt)
        .returning('clicks')
        .executeTakeFirst();
      if (!ended) continue;
      await transaction
        .insertInto('url_clicks')
        .values({ url_id: urlId, clicks: 0, erased_clicks: ended.clicks })
        .onConflict((conflict) =>
          conflict.column('url_id').doUpdateSet({
            erased_clicks: sql<number>`url_clicks.erased_clicks + ${ended.clicks}`,
          }),
        )
        .execute();
    }
  }, 'exclusive');
}
