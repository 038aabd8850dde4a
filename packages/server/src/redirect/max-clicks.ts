import { sql } from 'kysely';
import { type Database, StorageUnavailableError } from '../storage/database.js';
import type { Link } from './link.js';

// Bounds how long other writes of the same organization wait for those of its visitors.
const maxWaiting = 1_000;

/**
 * Returns a function that takes a click of a link with `maxClicks`; it returns false if all are used, and
 * throws a StorageUnavailableError. A click is an UPDATE that is committed before the visit is in the journal,
 * together with those of other visits. So a kill may waste a click, and never gives one too many.
 */
export function createClickTaker({ writeDirectly }: Pick<Database, 'writeDirectly'>) {
  let waiting = 0;
  return async ({
    urlId,
    organizationId,
    clickLimit,
  }: Pick<Link, 'urlId' | 'organizationId' | 'clickLimit'>): Promise<boolean> => {
    if (clickLimit?.isUsedUp) return false;
    if (waiting >= maxWaiting) throw new StorageUnavailableError('too many visits wait');
    waiting += 1;
    try {
      // The lock of the organization is held until the commit, so no other click is taken meanwhile.
      const isTaken = await writeDirectly(
        async (transaction) => {
          const { rows } = await sql`
            insert into used_clicks (url_id, clicks)
            select id, case when used > counted then used else counted end + 1 from (
              select urls.id, max_clicks, coalesce(used_clicks.clicks, 0) as used,
                coalesce(url_clicks.clicks, 0) + coalesce(erased_clicks, 0) as counted
              from urls
              left join url_clicks on url_clicks.url_id = urls.id
              left join used_clicks on used_clicks.url_id = urls.id
              where urls.id = ${urlId}
            ) as link
            where max_clicks is null or (used < max_clicks and counted < max_clicks)
            on conflict (url_id) do update set clicks = excluded.clicks
            returning url_id`.execute(transaction);
          return rows.length > 0;
        },
        { organizationId },
      );
      if (!isTaken && clickLimit) clickLimit.isUsedUp = true;
      return isTaken;
    } finally {
      waiting -= 1;
    }
  };
}
