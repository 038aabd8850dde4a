import { sql } from 'kysely';
import { type Database, StorageUnavailableError } from '../storage/database.js';

export interface LimitedLink {
  readonly urlId: number;
  readonly organizationId: string;
  readonly clickLimit: ClickLimit | undefined;
}

export interface ClickLimit {
  /** True once all clicks are used. Only a change of the link, which is then read again, allows others. */
  isUsedUp: boolean;
}

// Bounds how long other writes of the same organization wait for those of its visitors.
const maxWaiting = 1_000;

/**
 * Takes clicks of links with `maxClicks`. Each is an UPDATE that is committed before the visit is in the
 * journal, together with those of other visits. So a kill may waste a click, and never gives one too many.
 */
export class MaxClicks {
  readonly #database: Pick<Database, 'writeDirectly'>;
  #waiting = 0;

  constructor(database: Pick<Database, 'writeDirectly'>) {
    this.#database = database;
  }

  /** Takes a click; returns false if all are used. Throws a StorageUnavailableError. */
  async take({ urlId, organizationId, clickLimit }: LimitedLink): Promise<boolean> {
    if (clickLimit?.isUsedUp) return false;
    if (this.#waiting >= maxWaiting) throw new StorageUnavailableError('too many visits wait');
    this.#waiting += 1;
    try {
      const isTaken = await this.#take(urlId, organizationId);
      if (!isTaken && clickLimit) clickLimit.isUsedUp = true;
      return isTaken;
    } finally {
      this.#waiting -= 1;
    }
  }

  /** The lock of the organization is held until the commit, so no other click is taken meanwhile. */
  #take(urlId: number, organizationId: string): Promise<boolean> {
    return this.#database.writeDirectly(
      async (transaction) => {
        const { rows } = await sql`
          insert into used_clicks (url_id, clicks)
          select id, used + 1 from (
            select urls.id, max_clicks, case
              when coalesce(used_clicks.clicks, 0) >
                coalesce(url_clicks.clicks, 0) + coalesce(url_clicks.erased_clicks, 0)
              then used_clicks.clicks
              else coalesce(url_clicks.clicks, 0) + coalesce(url_clicks.erased_clicks, 0)
            end as used
            from urls
            left join url_clicks on url_clicks.url_id = urls.id
            left join used_clicks on used_clicks.url_id = urls.id
            where urls.id = ${urlId}
          ) as link
          where max_clicks is null or used < max_clicks
          on conflict (url_id) do update set clicks = excluded.clicks
          returning url_id`.execute(transaction);
        return rows.length > 0;
      },
      { organizationId },
    );
  }
}
