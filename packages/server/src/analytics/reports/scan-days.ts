import type { Kysely } from 'kysely';
import type { WriteTransaction } from '../../storage/database.js';
import type { Schema } from '../../storage/schema.js';
import { type ScannedUrl, selectSpans, toScannedUrls } from '../ingest/scanned-url.js';
import type { VisitColumns } from '../ingest/visit-columns.js';
import { dayMs } from './report-window.js';
import { type ScanReport, scansOf } from './scan-report.js';
import { selectScans } from './select-scans.js';
import { VisitTally } from './visit-tally.js';

/** Finds a URL's QR codes, deleted ones too; undefined when it never had any. */
export async function findScannedUrl(
  db: Kysely<Schema>,
  urlId: number,
): Promise<ScannedUrl | undefined> {
  const rows = await selectSpans(db).where('qr_codes.url_id', '=', urlId).execute();
  return toScannedUrls(rows).get(urlId);
}

/** Stores a day's scan report of each of a URL's QR codes; returns how many visits were scans. */
export async function storeScanDay(
  transaction: WriteTransaction,
  url: ScannedUrl,
  day: number,
  chunks: readonly VisitColumns[],
): Promise<number> {
  const window = { since: day, until: day + dayMs, groupBy: 'hour' } as const;
  for (const span of url.spans) {
    const tally = new VisitTally<ScanReport>(scansOf(span, url.hasSlug), window);
    for (const columns of chunks) tally.add(url.urlId, columns);
    const report = withoutEmpty(tally.finish(Number.POSITIVE_INFINITY));
    const { totalScans } = report.totals;
    if (totalScans === 0) continue;
    const known = await transaction
      .selectFrom('scan_days')
      .select(['scans', 'summary'])
      .where('qr_id', '=', span.qrId)
      .where('day', '=', day)
      .executeTakeFirst();
    // Visits that arrive after their day was pruned add another report.
    const summary = JSON.stringify([...(known ? JSON.parse(known.summary) : []), report]);
    const scans = (known?.scans ?? 0) + totalScans;
    await transaction
      .insertInto('scan_days')
      .values({ qr_id: span.qrId, day, scans, summary })
      .onConflict((conflict) => conflict.columns(['qr_id', 'day']).doUpdateSet({ scans, summary }))
      .execute();
  }
  return chunks.reduce(
    (sum, columns) => sum + selectScans(columns, window, () => url).places.length,
    0,
  );
}

/** Reads the reports of a QR code's pruned days that lie entirely in the window. */
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
