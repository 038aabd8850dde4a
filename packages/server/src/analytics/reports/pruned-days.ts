import type { WriteTransaction } from '../../storage/database.js';
import { type ScannedUrl, selectSpans, toScannedUrls } from '../ingest/scanned-url.js';
import { timeRange, type VisitColumns } from '../ingest/visit-columns.js';
import { clickMeasure } from './click-measure.js';
import { dayMs } from './report-window.js';
import { scanMeasure, selectScans } from './scan-measure.js';
import { type Report, type VisitMeasure, VisitTally } from './visit-tally.js';

/** Stores daily reports of a URL's clicks, and of each QR code's scans, before an instant. */
export async function storePrunedDays(
  transaction: WriteTransaction,
  urlId: number,
  chunks: readonly VisitColumns[],
  before: number,
): Promise<void> {
  const days = new Set(
    chunks.flatMap(({ visitedAt }) =>
      Array.from(visitedAt, (at) => Math.floor(at / dayMs) * dayMs).filter((day) => day < before),
    ),
  );
  const spans = await selectSpans(transaction).where('qr_codes.url_id', '=', urlId).execute();
  const scannedUrl = toScannedUrls(spans).get(urlId);
  const ranges = chunks.map((columns) => ({ columns, ...timeRange(columns) }));
  for (const day of days) {
    const chunksOfDay = ranges
      .filter(({ first_at, last_at }) => first_at < day + dayMs && last_at >= day)
      .map(({ columns }) => columns);
    const { report, count } = reportDay(clickMeasure, urlId, day, chunksOfDay);
    // A scan is also a click, so there are no scans either.
    if (count === 0) continue;
    const scanCount = scannedUrl
      ? await storeScanDay(transaction, scannedUrl, day, chunksOfDay)
      : 0;
    const stored = await transaction
      .selectFrom('click_days')
      .select(['clicks', 'scans', 'summary'])
      .where('url_id', '=', urlId)
      .where('day', '=', day)
      .executeTakeFirst();
    const summary = appendReport(stored?.summary, report);
    const clicks = (stored?.clicks ?? 0) + count;
    const scans = (stored?.scans ?? 0) + scanCount;
    await transaction
      .insertInto('click_days')
      .values({ url_id: urlId, day, clicks, scans, summary })
      .onConflict((conflict) =>
        conflict.columns(['url_id', 'day']).doUpdateSet({ clicks, scans, summary }),
      )
      .execute();
  }
}

/** Parses the `summary` of a row in `click_days` or `scan_days`: one or more reports. */
export function parseSummary<R extends Report>(summary: string): R[] {
  return JSON.parse(summary) as R[];
}

/** Stores a day's report for each QR code. Returns the number of visits that were scans. */
async function storeScanDay(
  transaction: WriteTransaction,
  url: ScannedUrl,
  day: number,
  chunks: readonly VisitColumns[],
): Promise<number> {
  for (const span of url.spans) {
    const measure = scanMeasure(span, url.hasSlug);
    const { report, count } = reportDay(measure, url.urlId, day, chunks);
    if (count === 0) continue;
    const stored = await transaction
      .selectFrom('scan_days')
      .select(['scans', 'summary'])
      .where('qr_id', '=', span.qrId)
      .where('day', '=', day)
      .executeTakeFirst();
    const summary = appendReport(stored?.summary, report);
    const scans = (stored?.scans ?? 0) + count;
    await transaction
      .insertInto('scan_days')
      .values({ qr_id: span.qrId, day, scans, summary })
      .onConflict((conflict) => conflict.columns(['qr_id', 'day']).doUpdateSet({ scans, summary }))
      .execute();
  }
  const window = { since: day, until: day + dayMs };
  return chunks.reduce(
    (sum, columns) => sum + selectScans(columns, window, () => url).indexes.length,
    0,
  );
}

/** Creates the report of a day, with a time series of the hours that have visits. */
function reportDay<R extends Report>(
  measure: VisitMeasure<R>,
  urlId: number,
  day: number,
  chunks: readonly VisitColumns[],
): { report: R; count: number } {
  const tally = new VisitTally(measure, { since: day, until: day + dayMs, groupBy: 'hour' });
  for (const columns of chunks) tally.add(urlId, columns);
  const report = tally.finish(Number.POSITIVE_INFINITY);
  const timeseries = report.timeseries.filter((hour) => hour[measure.countField] !== 0);
  return { report: { ...report, timeseries } as R, count: tally.count };
}

/** Appends a report to those of a day: visits may arrive after their day was pruned. */
function appendReport(summary: string | undefined, report: Report): string {
  return JSON.stringify([...(summary === undefined ? [] : parseSummary(summary)), report]);
}
