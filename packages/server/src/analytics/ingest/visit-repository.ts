import { type Selectable, sql } from 'kysely';
import { recordThresholds } from '../../events/record-thresholds.js';
import { countUses } from '../../organizations/usage-meters.js';
import type { Database, Schema, WriteTransaction } from '../../storage/database.js';
import { readDeletionVersion } from '../../storage/link-policy.js';
import type { JournalRecords, Visit } from '../journal/journal-lines.js';
import { type JournalPosition, journalStart } from '../journal/journal-reader.js';
import { encodeColumns } from './columns-codec.js';
import { findMissingLinks, type MissingLinks } from './deleted-links.js';
import { withoutErased } from './erase-visits.js';
import { openExportRun, withExportRun } from './export-runs.js';
import { countErasedClicks, endLeases, takeLeasedClicks } from './leased-clicks.js';
import { countScans, type ThresholdOptions } from './scan-counter.js';
import { toColumns } from './visit-columns.js';

// About 5 MB.
const maxKnownUrls = 100_000;

/** Stores visits, and updates the counters and events that depend on them. */
export class VisitRepository {
  readonly #database: Database;
  readonly #options: ThresholdOptions;
  /** Ids of URLs that exist. */
  readonly #knownUrls = new Set<number>();
  /** The version at which they existed. The deletion of an organization or a link changes it. */
  #knownVersion: number | undefined;

  constructor(database: Database, options: ThresholdOptions) {
    this.#database = database;
    this.#options = options;
  }

  /**
   * Returns the position up to which a writer's journal is in storage. Returns undefined when no line is
   * in storage, or when the journal was removed.
   */
  findPosition(writerId: string): Promise<JournalPosition | undefined> {
    return this.#database.read
      .selectFrom('journal_positions')
      .select(['segment', 'offset'])
      .where('writer_id', '=', writerId)
      .executeTakeFirst();
  }

  /** Ends the leases of a process that has ended, once all of its journal is in storage. */
  endLeases(writerId: string): Promise<void> {
    return endLeases(this.#database, writerId);
  }

  /** Deletes the position of a journal that no longer exists. */
  async deletePosition(writerId: string): Promise<void> {
    await this.#database.writeDirectly(
      (transaction) =>
        transaction.deleteFrom('journal_positions').where('writer_id', '=', writerId).execute(),
      'visits',
    );
  }

  /** Returns the ids that no link has. A link exists before its first visit. */
  async findMissing(visits: readonly Pick<Visit, 'urlId'>[]): Promise<MissingLinks> {
    const { read } = this.#database;
    const known = this.#knownUrls;
    // Read before the links, so that `store` notices a deletion that begins meanwhile.
    const version = await readDeletionVersion(read);
    if (known.size > maxKnownUrls || version !== this.#knownVersion) known.clear();
    this.#knownVersion = version;
    const ids = new Set<number>();
    for (const { urlId } of visits) if (!known.has(urlId)) ids.add(urlId);
    const missing = await findMissingLinks(read, ids);
    for (const id of ids) if (!missing.unknown.has(id) && !missing.deleted.has(id)) known.add(id);
    return missing;
  }

  /**
   * Stores the records between two positions of a journal exactly once: one transaction writes the
   * visits, the counters, the threshold events and the new position. Returns false, and stores
   * nothing, when the stored position is not `from`.
   */
  store(
    writerId: string,
    from: JournalPosition,
    to: JournalPosition,
    {
      visits: read = [],
      downloads,
      calls,
    }: Partial<Omit<JournalRecords, 'unknown' | 'visitTexts'>>,
    now: number,
  ): Promise<boolean> {
    return this.#database.writeDirectly(async (transaction) => {
      const exportRun = await this.#advance(transaction, writerId, from, to);
      if (exportRun === undefined) return false;
      if (downloads) await countDownloads(transaction, downloads);
      if (calls) await countUses(transaction, 'api_call', calls);
      await takeLeasedClicks(transaction, writerId, read);
      const stored = await this.#withoutDeleted(transaction, read);
      const visits = await withoutErased(transaction, stored);
      if (visits.length < stored.length) {
        const remaining = new Set(visits);
        const dropped = stored.filter((visit) => !remaining.has(visit));
        await countErasedClicks(transaction, dropped);
      }
      if (visits.length === 0) return true;
      await transaction
        .insertInto('visit_batches')
        .values({
          created_at: now,
          visit_count: visits.length,
          visits: encodeColumns(withExportRun(toColumns(visits), exportRun)),
        })
        .execute();
      const clicks = new Map<number, AddedClicks>();
      for (const { urlId, visitedAt, facts } of visits) {
        if (facts.kind !== 'human') continue;
        const { count, lastAt } = clicks.get(urlId) ?? noClicks;
        clicks.set(urlId, { count: count + 1, lastAt: Math.max(lastAt ?? 0, visitedAt) });
      }
      await this.#countClicks(transaction, clicks, now);
      await countScans(transaction, this.#options, visits, now);
      return true;
    }, 'visits');
  }

  /** Drops the visits of links and organizations that were deleted since `findMissing`. */
  async #withoutDeleted(
    transaction: WriteTransaction,
    visits: readonly Visit[],
  ): Promise<readonly Visit[]> {
    if (visits.length === 0 || this.#knownVersion === undefined) return visits;
    if ((await readDeletionVersion(transaction)) === this.#knownVersion) return visits;
    const ids = new Set(visits.map(({ urlId }) => urlId));
    const { deleted } = await findMissingLinks(transaction, ids);
    return visits.filter(({ urlId }) => !deleted.has(urlId));
  }

  /** Returns the export run of the visits, or undefined when the stored position is not `from`. */
  async #advance(
    transaction: WriteTransaction,
    writerId: string,
    from: JournalPosition,
    to: JournalPosition,
  ): Promise<number | undefined> {
    await transaction
      .insertInto('journal_positions')
      .values({ writer_id: writerId, ...journalStart })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
    const advanced = await transaction
      .updateTable('journal_positions')
      .set({ segment: to.segment, offset: to.offset })
      .where('writer_id', '=', writerId)
      .where('segment', '=', from.segment)
      .where('offset', '=', from.offset)
      .returning(openExportRun.as('exportRun'))
      .executeTakeFirst();
    return advanced && (advanced.exportRun ?? 0);
  }

  async #countClicks(
    transaction: WriteTransaction,
    added: ReadonlyMap<number, AddedClicks>,
    now: number,
  ): Promise<void> {
    const { outbox, thresholds } = this.#options;
    const own = await findOwnThresholds(transaction, [...added.keys()]);
    const changes = (await addClicks(transaction, added)).map(
      ({ url_id, clicks, peak_clicks: peak }) => ({
        urlId: url_id,
        added: added.get(url_id)?.count ?? 0,
        counters: [{ id: String(url_id), count: clicks, peak }],
        thresholds: own.get(url_id) ?? thresholds,
      }),
    );
    await recordThresholds(transaction, outbox, 'url.click_threshold', changes, now);
  }
}

export interface AddedClicks {
  readonly count: number;
  /** The time of the last click; null if it is not known. */
  readonly lastAt: number | null;
}

const noClicks: AddedClicks = { count: 0, lastAt: null };

/** Adds clicks to the counters of URLs, by their ids. Returns the counters. */
export async function addClicks(
  transaction: WriteTransaction,
  added: ReadonlyMap<number, AddedClicks>,
) {
  // One parameter for any number of URLs: a statement with three for each takes twice as long. Journals
  // of several nodes may arrive in any order. SQLite has no `greatest`.
  const members = Array.from(added, ([id, { count, lastAt }]) => `"${id}":[${count},${lastAt}]`);
  const { rows } = await sql<
    Pick<Selectable<Schema['url_clicks']>, 'url_id' | 'clicks' | 'peak_clicks'>
  >`
    insert into url_clicks (url_id, clicks, last_clicked_at)
    select cast(key as bigint), cast(value ->> 0 as bigint), cast(value ->> 1 as bigint)
    from json_each(${`{${members.join()}}`}) where true
    on conflict (url_id) do update set
      clicks = url_clicks.clicks + excluded.clicks,
      last_clicked_at = case
        when excluded.last_clicked_at > coalesce(url_clicks.last_clicked_at, 0)
        then excluded.last_clicked_at else url_clicks.last_clicked_at end
    returning url_id, clicks, peak_clicks`.execute(transaction);
  return rows;
}

/** Returns the click thresholds of the links that have their own. Costs almost nothing for others. */
async function findOwnThresholds(
  transaction: WriteTransaction,
  urlIds: readonly number[],
): Promise<ReadonlyMap<number, readonly number[]>> {
  const members = urlIds.map((id) => `"${id}":0`);
  // `id + 0` is the key of the index of these links.
  const { rows } = await sql<{ id: number; thresholds: string }>`
    select id, click_thresholds as thresholds from urls
    where click_thresholds is not null
      and id + 0 in (select cast(key as bigint) from json_each(${`{${members.join()}}`}))`.execute(
    transaction,
  );
  return new Map(rows.map(({ id, thresholds }) => [id, JSON.parse(thresholds)]));
}

/** Adds downloads, by the ids of QR codes, to their counters. */
async function countDownloads(
  transaction: WriteTransaction,
  downloads: ReadonlyMap<string, number>,
): Promise<void> {
  for (const [qrId, count] of downloads) {
    await transaction
      .updateTable('qr_counts')
      .set(({ eb }) => ({ downloads: eb('downloads', '+', count) }))
      .where('qr_id', '=', qrId)
      .execute();
  }
}
