import { sql } from 'kysely';
import type { Clock } from '../ports.js';
import type { Database, WriteTransaction } from '../storage/database.js';
import { blockOf, type LeaseChange, type LeaseGrant } from './click-leases.js';

interface LeaseState {
  readonly maxClicks: number | null;
  /** The clicks that are in storage, erased ones included. */
  readonly counted: number;
  /** The clicks of all leases, and the number of other processes that have some. */
  readonly leased: number;
  readonly others: number;
  /** The lease of this process, if it has one. */
  readonly ownClicks: number | null;
  readonly changeId: string | null;
  readonly granted: number | null;
}

/**
 * Stores the leases of one process. What is left of a link's limit is the limit without the clicks that are
 * in storage, and without those of all leases. The transaction that stores a visit takes its click from the
 * lease, so it leaves the rest as it is.
 */
export class ClickLeaseRepository {
  readonly #database: Pick<Database, 'writeDirectly'>;
  readonly #writerId: string;
  readonly #clock: Clock;

  /** `writerId` is the name of the journal that has the visits of this process. */
  constructor(database: Pick<Database, 'writeDirectly'>, writerId: string, clock: Clock) {
    this.#database = database;
    this.#writerId = writerId;
    this.#clock = clock;
  }

  /** Gives back clicks, and adds as many as are left. A repetition with the same id changes nothing. */
  change(change: LeaseChange): Promise<LeaseGrant> {
    const { organizationId } = change;
    return this.#database.writeDirectly((transaction) => this.#change(transaction, change), {
      organizationId,
    });
  }

  async #change(
    transaction: WriteTransaction,
    { urlId, changeId, returned, wanted }: LeaseChange,
  ): Promise<LeaseGrant> {
    const writerId = this.#writerId;
    const state = await readState(transaction, urlId, writerId);
    if (!state) return { granted: 0, isUsedUp: false, isUnlimited: true };
    const { maxClicks, counted, leased, others, ownClicks } = state;
    const isUnlimited = maxClicks === null;
    if (state.changeId === changeId) {
      return { granted: state.granted ?? 0, isUsedUp: false, isUnlimited };
    }
    // A lease without clicks is deleted. So if it is missing, the clicks were given back before.
    const given = ownClicks === null ? 0 : returned;
    const available = isUnlimited ? 0 : maxClicks - counted - leased + given;
    const granted = blockOf(wanted, available, others + 1);
    if (granted - given !== 0) {
      const row = {
        url_id: urlId,
        writer_id: writerId,
        clicks: granted - given,
        change_id: changeId,
        granted,
        updated_at: this.#clock(),
      };
      await transaction
        .insertInto('click_leases')
        .values(row)
        .onConflict((conflict) =>
          conflict.columns(['url_id', 'writer_id']).doUpdateSet({
            clicks: sql<number>`click_leases.clicks + ${row.clicks}`,
            change_id: changeId,
            granted,
            updated_at: row.updated_at,
          }),
        )
        .execute();
    } else if (ownClicks !== null) {
      await transaction
        .updateTable('click_leases')
        .set({ change_id: changeId, granted, updated_at: this.#clock() })
        .where('url_id', '=', urlId)
        .where('writer_id', '=', writerId)
        .execute();
    }
    await transaction
      .deleteFrom('click_leases')
      .where('url_id', '=', urlId)
      .where('writer_id', '=', writerId)
      .where('clicks', '<=', 0)
      .execute();
    const used = (ownClicks ?? 0) - given;
    const isUsedUp = !isUnlimited && granted === 0 && maxClicks - counted - used <= 0;
    return { granted, isUsedUp, isUnlimited };
  }
}

/** Reads the limit and the leases of a link in one statement, because visits are stored meanwhile. */
async function readState(
  transaction: WriteTransaction,
  urlId: number,
  writerId: string,
): Promise<LeaseState | undefined> {
  const { rows } = await sql<LeaseState>`
    select urls.max_clicks as "maxClicks",
      coalesce(url_clicks.clicks, 0) + coalesce(url_clicks.erased_clicks, 0) as counted,
      cast(coalesce((select sum(clicks) from click_leases
        where click_leases.url_id = urls.id), 0) as bigint) as leased,
      (select count(*) from click_leases
        where click_leases.url_id = urls.id and writer_id <> ${writerId}) as others,
      own.clicks as "ownClicks", own.change_id as "changeId", own.granted
    from urls
    left join url_clicks on url_clicks.url_id = urls.id
    left join click_leases as own on own.url_id = urls.id and own.writer_id = ${writerId}
    where urls.id = ${urlId}`.execute(transaction);
  const [row] = rows;
  return (
    row && {
      ...row,
      counted: Number(row.counted),
      leased: Number(row.leased),
      others: Number(row.others),
    }
  );
}
