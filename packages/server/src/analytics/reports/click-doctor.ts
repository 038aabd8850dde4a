import type { Database } from '../../storage/database.js';
import { findCompaction, readBatches } from '../ingest/chunk-repository.js';
import { decodeColumns } from '../ingest/columns-codec.js';
import { kindOf, type VisitColumns } from '../ingest/visit-columns.js';
import { chunksWithin } from './click-reader.js';
import { type ClickReport, clicks as clickMeasure } from './click-report.js';
import { always } from './report-window.js';
import { VisitTally } from './visit-tally.js';

export interface CounterFault {
  readonly urlId: number;
  /** What the link's counter says. */
  readonly counted: number;
  /** The clicks that there are: of visits, and of days that were pruned. */
  readonly clicks: number;
}

export interface Diagnosis {
  readonly links: number;
  readonly visits: number;
  readonly clicks: number;
  /** The same clicks as reports count them. */
  readonly inSeries: number;
  readonly faults: readonly CounterFault[];
}

/** Counts every click twice, visit by visit and as reports do, and compares both with the counters. */
export function diagnoseClicks(database: Database): Promise<Diagnosis> {
  return database.snapshot(async (db) => {
    const clicks = new Map<number, number>();
    let visits = 0;
    let inSeries = 0;
    const count = (columns: VisitColumns, urlIdAt: (at: number) => number | undefined) => {
      const { texts, codes } = columns.words.source;
      for (let at = 0; at < columns.count; at += 1) {
        const urlId = urlIdAt(at);
        if (urlId === undefined) continue;
        visits += 1;
        if (kindOf(texts[codes[at] as number] as string) !== 'human') continue;
        clicks.set(urlId, (clicks.get(urlId) ?? 0) + 1);
      }
    };
    const compaction = await findCompaction(db);
    for (const { id, columns } of await readBatches(db, 0)) {
      const from = compaction && id <= compaction.upToBatch ? compaction.nextUrl : 0;
      const isHere = (urlId: number) => urlId >= from;
      count(columns, (at) => {
        const urlId = columns.urlIds?.[at] as number;
        return isHere(urlId) ? urlId : undefined;
      });
      inSeries += sumOfSeries(columns, (tally) => tally.addAccepted(columns, isHere));
    }
    for await (const { url_id, visits: stored } of chunksWithin(db, always)) {
      const columns = decodeColumns(stored);
      count(columns, () => url_id);
      inSeries += sumOfSeries(columns, (tally) => tally.add(url_id, columns));
    }
    const days = await db.selectFrom('click_days').select(['url_id', 'clicks']).execute();
    for (const day of days) {
      clicks.set(day.url_id, (clicks.get(day.url_id) ?? 0) + day.clicks);
      inSeries += day.clicks;
    }
    const counters = await db.selectFrom('url_clicks').select(['url_id', 'clicks']).execute();
    const counted = new Map(counters.map((row) => [row.url_id, row.clicks]));
    const urlIds = [...new Set([...clicks.keys(), ...counted.keys()])].sort((a, b) => a - b);
    return {
      links: urlIds.length,
      visits,
      clicks: [...clicks.values()].reduce((sum, each) => sum + each, 0),
      inSeries,
      faults: urlIds
        .map((urlId) => ({
          urlId,
          counted: counted.get(urlId) ?? 0,
          clicks: clicks.get(urlId) ?? 0,
        }))
        .filter((fault) => fault.counted !== fault.clicks),
    };
  });
}

/** Sets counters right. What is counted meanwhile stays: they are changed by the difference. */
export async function mendCounters(
  database: Database,
  faults: readonly CounterFault[],
): Promise<void> {
  await database.write(async (transaction) => {
    for (const { urlId, counted, clicks } of faults) {
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

/** The clicks that a report of the days of these visits has in its series. */
function sumOfSeries(
  { visitedAt }: VisitColumns,
  add: (tally: VisitTally<ClickReport>) => void,
): number {
  if (visitedAt.length === 0) return 0;
  const since = visitedAt.reduce((first, at) => Math.min(first, at));
  const until = visitedAt.reduce((last, at) => Math.max(last, at)) + 1;
  const tally = new VisitTally<ClickReport>(clickMeasure, { since, until, groupBy: 'day' });
  add(tally);
  return tally.finish(0).timeseries.reduce((sum, { clicks }) => sum + clicks, 0);
}
