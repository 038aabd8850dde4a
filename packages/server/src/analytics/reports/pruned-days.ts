import { sql } from 'kysely';
import type { WriteTransaction } from '../../storage/database.js';
import type { ScannedUrl } from '../ingest/scanned-url.js';
import { slicesOf } from '../ingest/slices-of.js';
import { allIndexes, type VisitColumns } from '../ingest/visit-columns.js';
import { dayMs } from './durations.js';
import type { ClickReport, ScanReport } from './report-contract.js';
import { clickMeasure, scanMeasure, selectScans } from './visit-measures.js';
import { type Report, VisitTally } from './visit-tally.js';

// The number of entries of a breakdown that are stored for each day, unless it has its own. Referrers are the visitors' own
// texts: without a limit, a day with 1.7 million of them would be longer than a string can be.
const maxEntries = 10_000;
// The number of QR codes in one statement.
const qrsPerStatement = 500;

// The version of a day's report. One without a version has version 1, which is the same form.
export const summaryVersion = 1;

interface PrunedDay {
  readonly clicks: VisitTally<ClickReport>;
  /** The tallies of QR codes. Codes that exist all day have the same scans and share one tally. */
  readonly scans: readonly { readonly tally: VisitTally<ScanReport>; readonly qrIds: string[] }[];
  /** The number of visits that are scans of any QR code. */
  scanCount: number;
  provenScanCount: number;
}

type DayReports = ReturnType<PrunedDays['finish']>;

/** Makes the daily reports of one URL's clicks, and of its QR codes' scans. */
export class PrunedDays {
  readonly #url: ScannedUrl | undefined;
  readonly #before: number;
  readonly #days = new Map<number, PrunedDay>();

  /** Ignores visits from `before` on, the start of a day. `url` is undefined without QR codes. */
  constructor(url: ScannedUrl | undefined, before: number) {
    this.#url = url;
    this.#before = before;
  }

  add(columns: VisitColumns): void {
    const starts = new Set<number>();
    for (const at of columns.visitedAt) {
      if (at < this.#before) starts.add(Math.floor(at / dayMs) * dayMs);
    }
    for (const start of starts) {
      let day = this.#days.get(start);
      if (!day) {
        day = this.#createDay(start);
        this.#days.set(start, day);
      }
      const visits = { columns, indexes: allIndexes(columns) };
      day.clicks.add(visits);
      for (const { tally } of day.scans) tally.add(visits);
      if (day.scans.length === 0) continue;
      const window = { since: start, until: start + dayMs };
      const { indexes, proven } = selectScans(visits, window, () => this.#url);
      day.scanCount += indexes.length;
      day.provenScanCount += proven.length;
    }
  }

  /** Returns the reports of the days with clicks, as JSON. Must be the last call. */
  finish() {
    return (
      [...this.#days]
        // A day without clicks has no scans, because each scan is also a click.
        .filter(([, { clicks }]) => clicks.count > 0)
        .map(([day, { clicks, scans, scanCount, provenScanCount }]) => ({
          day,
          clicks: clicks.count,
          scans: scanCount,
          report: toJson(clicks, 'clicks', { provenScans: provenScanCount }),
          ofQrs: scans
            .filter(({ tally }) => tally.count > 0)
            .flatMap(({ tally, qrIds }) => {
              const report = toJson(tally, 'scans');
              return qrIds.map((qrId) => ({ qrId, scans: tally.count, report }));
            }),
        }))
    );
  }

  #createDay(start: number): PrunedDay {
    const window = { since: start, until: start + dayMs, groupBy: 'hour' } as const;
    const scans = new Map<string, PrunedDay['scans'][number]>();
    const { hasSlug = false, spans = [] } = this.#url ?? {};
    for (const span of spans) {
      const from = Math.max(span.from, window.since);
      const until = Math.min(span.until ?? window.until, window.until);
      if (from >= until) continue;
      const key = `${from} ${until}`;
      const known = scans.get(key);
      if (known) known.qrIds.push(span.qrId);
      else {
        const tally = new VisitTally(scanMeasure(span, hasSlug), window);
        scans.set(key, { tally, qrIds: [span.qrId] });
      }
    }
    return {
      clicks: new VisitTally(clickMeasure, window),
      scans: [...scans.values()],
      scanCount: 0,
      provenScanCount: 0,
    };
  }
}

/** Adds daily reports to those of earlier prunings: visits may arrive after their day was pruned. */
export async function storePrunedDays(
  transaction: WriteTransaction,
  urlId: number,
  days: DayReports,
): Promise<void> {
  for (const { day, clicks, scans, report, ofQrs } of days) {
    await transaction
      .insertInto('click_days')
      .values({ url_id: urlId, day, clicks, scans, summary: `[${report}]` })
      .onConflict((conflict) =>
        conflict.columns(['url_id', 'day']).doUpdateSet(({ eb, ref }) => ({
          clicks: eb('click_days.clicks', '+', ref('excluded.clicks')),
          scans: eb('click_days.scans', '+', ref('excluded.scans')),
          summary: appendedSummary('click_days'),
        })),
      )
      .execute();
    for (const part of slicesOf(ofQrs, qrsPerStatement)) {
      await transaction
        .insertInto('scan_days')
        .values(
          part.map((qr) => ({ qr_id: qr.qrId, day, scans: qr.scans, summary: `[${qr.report}]` })),
        )
        .onConflict((conflict) =>
          conflict.columns(['qr_id', 'day']).doUpdateSet(({ eb, ref }) => ({
            scans: eb('scan_days.scans', '+', ref('excluded.scans')),
            summary: appendedSummary('scan_days'),
          })),
        )
        .execute();
    }
  }
}

/** Joins two JSON arrays: the stored one, and that of the inserted row. */
function appendedSummary(table: 'click_days' | 'scan_days') {
  const stored = sql.ref<string>(`${table}.summary`);
  return sql<string>`substr(${stored}, 1, length(${stored}) - 1) || ',' || substr(excluded.summary, 2)`;
}

/** The daily report of a URL's clicks. Version 0.1 did not store `provenScans`. */
export type PrunedClicks = ClickReport & { readonly provenScans?: number };

/** Formats the report of a day, with a time series of the hours that have visits. */
function toJson<R extends Report>(
  tally: VisitTally<R>,
  countField: string,
  more?: Pick<PrunedClicks, 'provenScans'>,
): string {
  const report: Report = tally.finish(maxEntries, { isDaily: true });
  const timeseries = report.timeseries.filter((hour) => hour[countField] !== 0);
  return JSON.stringify({ version: summaryVersion, ...report, timeseries, ...more });
}

/**
 * Parses the summary of a day: one report for each time that it was pruned. Totals and breakdowns have
 * names; a reader ignores those that it does not know. Throws when a report has a later version.
 */
export function parseSummary<R extends Report>(summary: string): readonly R[] {
  const reports = JSON.parse(summary) as (R & { readonly version?: number })[];
  const later = reports.find(({ version = 1 }) => version > summaryVersion);
  if (!later) return reports;
  throw new Error(
    `a pruned day of version ${later.version}: this server reads version ${summaryVersion}`,
  );
}
