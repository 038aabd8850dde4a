import { type Selectable, sql } from 'kysely';
import { recordThresholds, type ThresholdOptions } from '../../events/record-thresholds.js';
import { countUses } from '../../organizations/usage-meters.js';
import type { Database, Schema, WriteTransaction } from '../../storage/database.js';
import { bulkInsert, isAmong } from '../../storage/statements.js';
import {
  type JournalPosition,
  type JournalRecords,
  journalStart,
  type Visit,
} from '../journal/journal-lines.js';
import { toRow } from './columns-codec.js';
import { type ClickOptions, recordClicks } from './record-clicks.js';
import { countScans } from './scan-counter.js';
import { toColumns } from './visit-columns.js';

export interface VisitRepositoryOptions extends ThresholdOptions {
  /** Without it, no webhook gets visits. */
  readonly clicks?: ClickOptions;
}

export type VisitRepository = ReturnType<typeof createVisitRepository>;

/** Stores visits, and updates the counters and events that depend on them. */
export function createVisitRepository(
  { read, writeDirectly }: Pick<Database, 'read' | 'writeDirectly'>,
  options: VisitRepositoryOptions,
) {
  async function storeVisits(
    transaction: WriteTransaction,
    existing: readonly Visit[],
    organizationOf: ReadonlyMap<number, string>,
    now: number,
  ): Promise<void> {
    // Counts first: the locks of the counters order this transaction and the mark of an erasure.
    const visits = await countClicks(transaction, options, existing, now);
    if (visits.length === 0) return;
    const scannedUrls = await countScans(transaction, options, visits, now);
    const groups = new Map<string, Visit[]>();
    for (const visit of visits) {
      const organizationId = organizationOf.get(visit.urlId) as string;
      const group = groups.get(organizationId);
      if (group) group.push(visit);
      else groups.set(organizationId, [visit]);
    }
    const rows = Array.from(groups, ([organization_id, own]) => ({
      organization_id,
      level: 0,
      stored_at: now,
      ...toRow(toColumns(own)),
    }));
    await bulkInsert(transaction, 'visits', rows);
    const { clicks, outbox } = options;
    if (clicks) await recordClicks(transaction, outbox, visits, scannedUrls, now, clicks);
  }

  return {
    /**
     * Returns the position up to which a writer's journal is in storage. Returns undefined when no line is
     * in storage, or when the journal was removed.
     */
    findPosition: (writerId: string): Promise<JournalPosition | undefined> =>
      read
        .selectFrom('journal_positions')
        .select(['segment', 'offset'])
        .where('writer_id', '=', writerId)
        .executeTakeFirst(),

    deletePosition: (writerId: string): Promise<unknown> =>
      writeDirectly(
        (transaction) =>
          transaction.deleteFrom('journal_positions').where('writer_id', '=', writerId).execute(),
        'rows',
      ),

    /**
     * Stores the records between two positions of a journal exactly once: one transaction writes the
     * visits, the counters, the threshold events and the new position. Drops the visits of links that do not
     * exist, and calls `onUnknownLinks` with those of ids that no link ever had before the transaction ends.
     * Returns false, and stores nothing, when the stored position is not `from`.
     */
    store: (
      writerId: string,
      from: JournalPosition,
      to: JournalPosition,
      records: Partial<Pick<JournalRecords, 'visits' | 'downloads' | 'calls'>>,
      now: number,
      onUnknownLinks?: (visits: readonly Visit[]) => void,
    ): Promise<boolean> =>
      writeDirectly(async (transaction) => {
        if (!(await advance(transaction, writerId, from, to))) return false;
        const { visits = [], downloads, calls } = records;
        const { existing, unknown, organizationOf } = await findVisitedLinks(transaction, visits);
        onUnknownLinks?.(unknown);
        await storeVisits(transaction, existing, organizationOf, now);
        // After the counters of links: transactions change counters in one order, which prevents deadlock.
        if (downloads) await countDownloads(transaction, downloads);
        if (calls) await countUses(transaction, 'api_call', calls);
        return true;
      }, 'rows'),
  };
}

/** Returns false if the stored position is not `from`. */
async function advance(
  transaction: WriteTransaction,
  writerId: string,
  from: JournalPosition,
  to: JournalPosition,
): Promise<boolean> {
  await transaction
    .insertInto('journal_positions')
    .values({ writer_id: writerId, ...journalStart })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  const { numUpdatedRows } = await transaction
    .updateTable('journal_positions')
    .set({ segment: to.segment, offset: to.offset })
    .where('writer_id', '=', writerId)
    .where('segment', '=', from.segment)
    .where('offset', '=', from.offset)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

/**
 * Counts the visits of people as clicks, and the others apart. Returns the clicks that no erasure has
 * reached; the others count as used only.
 */
async function countClicks(
  transaction: WriteTransaction,
  options: ThresholdOptions,
  all: readonly Visit[],
  now: number,
): Promise<readonly Visit[]> {
  if (all.length === 0) return all;
  const added = new Map<number, AddedClicks>();
  for (const { urlId, visitedAt, facts } of all) {
    const clicks = added.get(urlId) ?? { count: 0, lastAt: null, excluded: 0 };
    added.set(urlId, clicks);
    if (facts.kind === 'human') {
      clicks.count += 1;
      clicks.lastAt = Math.max(clicks.lastAt ?? 0, visitedAt);
    } else clicks.excluded += 1;
  }
  const counters = await addClicks(transaction, added);
  const erasedUntil = new Map(
    counters.map(({ url_id, erased_until }) => [url_id, erased_until] as const),
  );
  const erased = new Map<number, number>();
  const remaining = all.filter(({ urlId, visitedAt, facts }) => {
    if (facts.kind !== 'human') return false;
    const until = erasedUntil.get(urlId) as number;
    if (until === 0 || visitedAt > until) return true;
    erased.set(urlId, (erased.get(urlId) ?? 0) + 1);
    return false;
  });
  for (const [urlId, count] of erased) await uncount(transaction, urlId, count);
  const changes = counters.map(({ url_id, clicks, peak_clicks: peak }) => {
    const uncounted = erased.get(url_id) ?? 0;
    return {
      urlId: url_id,
      added: (added.get(url_id)?.count ?? 0) - uncounted,
      id: String(url_id),
      count: clicks - uncounted,
      peak,
    };
  });
  await recordThresholds(transaction, options, 'url.click_threshold', changes, now);
  return remaining;
}

/**
 * Finds the links of visits. Visits of erased links, and of organizations that are deleted, are neither
 * existing nor unknown. A link exists before its first visit.
 */
async function findVisitedLinks(transaction: WriteTransaction, visits: readonly Visit[]) {
  const ids = new Set(visits.map(({ urlId }) => urlId));
  const { rows } = await sql<{ id: number; organizationId: string }>`
    select urls.id, urls.organization_id as "organizationId" from urls
    where ${isAmong(transaction, sql.ref('urls.id'), ids)}
      and not exists (select 1 from organizations
        where organizations.id = urls.organization_id and deletion_started_at is not null)`.execute(
    transaction,
  );
  const organizationOf = new Map(rows.map(({ id, organizationId }) => [id, organizationId]));
  if (organizationOf.size === ids.size) return { existing: visits, unknown: [], organizationOf };
  const { last_id: lastId } = await transaction
    .selectFrom('url_id_counter')
    .select('last_id')
    .executeTakeFirstOrThrow();
  return {
    existing: visits.filter(({ urlId }) => organizationOf.has(urlId)),
    // The ids of deleted links are never used again.
    unknown: visits.filter(({ urlId }) => !organizationOf.has(urlId) && urlId > lastId),
    organizationOf,
  };
}

/** Moves clicks that an erasure has reached from the clicks of a link to its erased ones. */
async function uncount(transaction: WriteTransaction, urlId: number, count: number): Promise<void> {
  await sql`update url_clicks set clicks = clicks - ${count},
      erased_clicks = erased_clicks + ${count},
      last_clicked_at = case when last_clicked_at > erased_until then last_clicked_at end
    where url_id = ${urlId}`.execute(transaction);
}

interface AddedClicks {
  count: number;
  lastAt: number | null;
  /** The number of visits that are no clicks. */
  excluded: number;
}

/** Adds clicks to the counters of URLs, by their ids. Returns the counters. */
export async function addClicks(
  transaction: WriteTransaction,
  added: ReadonlyMap<number, AddedClicks>,
) {
  // One parameter for any number of URLs: a statement with four for each takes twice as long. Journals
  // of several nodes may arrive in any order. SQLite has no `greatest`. Transactions lock the rows in
  // ascending order, which prevents deadlock.
  const members = [...added]
    .sort(([a], [b]) => a - b)
    .map(([id, { count, lastAt, excluded }]) => `"${id}":[${count},${lastAt},${excluded}]`);
  const { rows } = await sql<
    Pick<Selectable<Schema['url_clicks']>, 'url_id' | 'clicks' | 'peak_clicks' | 'erased_until'>
  >`
    insert into url_clicks (url_id, clicks, last_clicked_at, excluded_visits)
    select cast(key as bigint), cast(value ->> 0 as bigint), cast(value ->> 1 as bigint),
      cast(value ->> 2 as bigint)
    from json_each(${`{${members.join()}}`}) where true
    on conflict (url_id) do update set
      clicks = url_clicks.clicks + excluded.clicks,
      excluded_visits = url_clicks.excluded_visits + excluded.excluded_visits,
      last_clicked_at = case
        when excluded.last_clicked_at > coalesce(url_clicks.last_clicked_at, 0)
        then excluded.last_clicked_at else url_clicks.last_clicked_at end
    returning url_id, clicks, peak_clicks, erased_until`.execute(transaction);
  return rows;
}

/** Adds downloads, by the ids of QR codes, to their counters, in ascending order of the ids. */
async function countDownloads(
  transaction: WriteTransaction,
  downloads: ReadonlyMap<string, number>,
): Promise<void> {
  for (const [qrId, count] of [...downloads].sort(([a], [b]) => (a < b ? -1 : 1))) {
    await transaction
      .updateTable('qr_counts')
      .set(({ eb }) => ({ downloads: eb('downloads', '+', count) }))
      .where('qr_id', '=', qrId)
      .execute();
  }
}
