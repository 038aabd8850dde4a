import type { Kysely } from 'kysely';
import type { Database, Schema } from '../../storage/database.js';
import { decodeColumns } from '../ingest/columns-codec.js';
import {
  findCompaction,
  firstPendingUrl,
  readBatches,
  readChunks,
} from '../ingest/read-stored-visits.js';
import { isWithin, selectSpans, toScannedUrls } from '../ingest/scanned-url.js';
import { kindOf, timeRange, type VisitColumns } from '../ingest/visit-columns.js';
import { clickMeasure } from './click-measure.js';
import { allTime } from './report-window.js';
import { selectScans } from './scan-measure.js';
import { VisitTally } from './visit-tally.js';

export interface WrongClickCounter {
  readonly urlId: number;
  /** The value of the URL's counter. */
  readonly counted: number;
  /** The clicks in visits and in pruned days. */
  readonly clicks: number;
}

export interface ClickDiagnosis {
  readonly links: number;
  readonly visits: number;
  readonly clicks: number;
  /** The clicks in the time series of reports. */
  readonly inSeries: number;
  readonly wrongCounters: readonly WrongClickCounter[];
}

export interface WrongScanCounter {
  readonly qrId: string;
  /** The value of the QR code's counter. */
  readonly counted: number;
  /** The scans in visits and in pruned days. */
  readonly scans: number;
}

export interface ScanDiagnosis {
  readonly codes: number;
  readonly scans: number;
  readonly wrongCounters: readonly WrongScanCounter[];
}

/** Counts clicks visit by visit and by the code of reports, and compares the counters. */
export function diagnoseClicks(database: Database): Promise<ClickDiagnosis> {
  return database.snapshot(async (db) => {
    const clicks = new Map<number, number>();
    let visits = 0;
    let inSeries = 0;
    for await (const stored of readVisits(db)) {
      const { columns, urlIdAt } = stored;
      const { values, codes } = columns.dictionaries.source;
      for (let index = 0; index < columns.count; index += 1) {
        const urlId = urlIdAt(index);
        if (urlId === undefined) continue;
        visits += 1;
        if (kindOf(values[codes[index] as number] as string) === 'human') {
          increase(clicks, urlId, 1);
        }
      }
      inSeries += clicksInSeries(stored);
    }
    const days = await db.selectFrom('click_days').select(['url_id', 'clicks']).execute();
    for (const day of days) {
      increase(clicks, day.url_id, day.clicks);
      inSeries += day.clicks;
    }
    const counters = await db.selectFrom('url_clicks').select(['url_id', 'clicks']).execute();
    const counted = new Map(counters.map((row) => [row.url_id, row.clicks]));
    const urlIds = [...new Set([...clicks.keys(), ...counted.keys()])].sort((a, b) => a - b);
    return {
      links: urlIds.length,
      visits,
      clicks: sum(clicks.values()),
      inSeries,
      wrongCounters: urlIds
        .map((urlId) => ({
          urlId,
          counted: counted.get(urlId) ?? 0,
          clicks: clicks.get(urlId) ?? 0,
        }))
        .filter((each) => each.counted !== each.clicks),
    };
  });
}

/** Counts scans visit by visit, and compares the counters. */
export function diagnoseScans(database: Database): Promise<ScanDiagnosis> {
  return database.snapshot(async (db) => {
    const scans = new Map<string, number>();
    const urls = toScannedUrls(await selectSpans(db).execute());
    for await (const { columns, urlIdAt } of readVisits(db, (urlId) => urls.has(urlId))) {
      const urlAt = (index: number) => urls.get(urlIdAt(index) ?? noUrl);
      for (const index of selectScans(columns, allTime, urlAt).indexes) {
        const time = columns.visitedAt[index] as number;
        for (const span of urlAt(index)?.spans ?? []) {
          if (isWithin(span, time)) increase(scans, span.qrId, 1);
        }
      }
    }
    const days = await db.selectFrom('scan_days').select(['qr_id', 'scans']).execute();
    for (const day of days) increase(scans, day.qr_id, day.scans);
    const counters = await db
      .selectFrom('qr_counts')
      .select(['qr_id', 'scans'])
      .orderBy('qr_id')
      .execute();
    return {
      codes: counters.length,
      scans: sum(scans.values()),
      wrongCounters: counters
        .map((row) => ({
          qrId: row.qr_id,
          counted: row.scans,
          scans: scans.get(row.qr_id) ?? 0,
        }))
        .filter((each) => each.counted !== each.scans),
    };
  });
}

/** Adds the difference to each counter, so clicks since the diagnosis are not lost. */
export async function repairClickCounters(
  database: Database,
  wrongCounters: readonly WrongClickCounter[],
): Promise<void> {
  await database.writeDirectly(async (transaction) => {
    for (const { urlId, counted, clicks } of wrongCounters) {
      await transaction
        .insertInto('url_clicks')
        .values({ url_id: urlId, clicks: clicks - counted })
        .onConflict((conflict) =>
          conflict.column('url_id').doUpdateSet(({ eb }) => ({
            clicks: eb('url_clicks.clicks', '+', clicks - counted),
          })),
        )
        .execute();
    }
  }, 'exclusive');
}

/** Adds the difference to each counter, so scans since the diagnosis are not lost. */
export async function repairScanCounters(
  database: Database,
  wrongCounters: readonly WrongScanCounter[],
): Promise<void> {
  await database.writeDirectly(async (transaction) => {
    for (const { qrId, counted, scans } of wrongCounters) {
      await transaction
        .updateTable('qr_counts')
        .set(({ eb }) => ({ scans: eb('scans', '+', scans - counted) }))
        .where('qr_id', '=', qrId)
        .execute();
    }
  }, 'exclusive');
}

// No URL has this id.
const noUrl = 0;

interface StoredVisits {
  readonly columns: VisitColumns;
  /** False when the URL's visits of this batch are also in chunks. */
  isPending(urlId: number): boolean;
  /** Returns the URL of a visit; undefined when it is not pending. */
  urlIdAt(index: number): number | undefined;
}

/** Reads each stored visit once, from all batches and from the chunks of wanted URLs. */
async function* readVisits(
  db: Kysely<Schema>,
  isWanted: (urlId: number) => boolean = () => true,
): AsyncGenerator<StoredVisits> {
  const compaction = await findCompaction(db);
  for (const { id, columns } of await readBatches(db, 0)) {
    const firstPending = firstPendingUrl(compaction, id);
    const isPending = (urlId: number) => urlId >= firstPending;
    const urlIdAt = (index: number) => {
      const urlId = columns.urlIds?.[index] as number;
      return isPending(urlId) ? urlId : undefined;
    };
    yield { columns, isPending, urlIdAt };
  }
  for await (const { url_id, visits } of readChunks(db, allTime)) {
    if (!isWanted(url_id)) continue;
    yield { columns: decodeColumns(visits), isPending: () => true, urlIdAt: () => url_id };
  }
}

/** Returns the number of clicks in the time series of a report on these visits. */
function clicksInSeries({ columns, isPending }: StoredVisits): number {
  if (columns.count === 0) return 0;
  const { first_at, last_at } = timeRange(columns);
  const window = { since: first_at, until: last_at + 1, groupBy: 'day' } as const;
  const tally = new VisitTally(clickMeasure, window);
  const indexes = columns.urlIds && indexesWhere(columns.urlIds, isPending);
  tally.add({ columns, indexes, urlId: noUrl });
  return sum(tally.finish(0).timeseries.map(({ clicks }) => clicks));
}

function increase<K>(counts: Map<K, number>, key: K, by: number): void {
  counts.set(key, (counts.get(key) ?? 0) + by);
}

function sum(numbers: Iterable<number>): number {
  let total = 0;
  for (const each of numbers) total += each;
  return total;
}

function indexesWhere(values: Float64Array, isWanted: (value: number) => boolean): Uint32Array {
  const indexes: number[] = [];
  for (const [index, value] of values.entries()) if (isWanted(value)) indexes.push(index);
  return Uint32Array.from(indexes);
}
