import type { Kysely } from 'kysely';
import type { WriteTransaction } from '../../storage/database.js';
import type { Schema } from '../../storage/schema.js';
import { type ScannedUrl, selectSpans, toScannedUrls } from '../ingest/scanned-url.js';
import type { VisitColumns } from '../ingest/visit-columns.js';
import { dayMs } from './click-window.js';
import { ScanSum } from './scan-sum.js';
import { type ScanReport, ScanTally } from './scan-tally.js';

/** The codes of a link whose visits are to be pruned; undefined when it never had any. */
export async function findScannedUrl(
  db: Kysely<Schema>,
  urlId: number,
): Promise<ScannedUrl | undefined> {
  const rows = await selectSpans(db).where('qr_codes.url_id', '=', urlId).execute();
  return toScannedUrls(rows).get(urlId);
}

/** Sums up a day of a link for each of its codes; how many visits of it were scans. */
export async function keepScanDay(
  transaction: WriteTransaction,
  url: ScannedUrl,
  day: number,
  chunks: readonly VisitColumns[],
): Promise<number> {
  const window = { since: day, until: day + dayMs, groupBy: 'hour' } as const;
  const sum = new ScanSum(new Map([[url.urlId, url]]), window);
  for (const columns of chunks) sum.add(url.urlId, columns);
  for (const span of url.spans) {
    const tally = new ScanTally(window, span, url.hasSlug);
    for (const columns of chunks) tally.add(columns);
    const report = withoutEmpty(tally.finish(Number.POSITIVE_INFINITY));
    const { totalScans } = report.totals;
    if (totalScans === 0) continue;
    const known = await transaction
      .selectFrom('scan_days')
      .select(['scans', 'summary'])
      .where('qr_id', '=', span.qrId)
      .where('day', '=', day)
      .executeTakeFirst();
    // More than one where visits of the day came after it was pruned.
    const summary = JSON.stringify([...(known ? JSON.parse(known.summary) : []), report]);
    const scans = (known?.scans ?? 0) + totalScans;
    await transaction
      .insertInto('scan_days')
      .values({ qr_id: span.qrId, day, scans, summary })
      .onConflict((conflict) => conflict.columns(['qr_id', 'day']).doUpdateSet({ scans, summary }))
      .execute();
  }
  return sum.total;
}

/** What is left of the days of a code that lie in a window as a whole. */
export async function readScanDays(
  db: Kysely<Schema>,
  qrId: string,
  { since, until }: { readonly since: number; readonly until: number },
): Promise<ScanReport[]> {
  const rows = await db
    .selectFrom('scan_days')
    .select('summary')
    .where('qr_id', '=', qrId)
    .where('day', '>=', since)
    .where('day', '<=', until - dayMs)
    .execute();
  return rows.flatMap(({ summary }) => JSON.parse(summary) as ScanReport[]);
}

function withoutEmpty(report: ScanReport): ScanReport {
  return { ...report, timeseries: report.timeseries.filter(({ scans }) => scans > 0) };
}
