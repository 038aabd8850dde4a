import type { Database } from '../../storage/database.js';
import { findCompaction, readBatches } from '../ingest/chunk-repository.js';
import { decodeColumns } from '../ingest/columns-codec.js';
import { isWithin, type ScannedUrl, selectSpans, toScannedUrls } from '../ingest/scanned-url.js';
import type { VisitColumns } from '../ingest/visit-columns.js';
import { always } from './report-window.js';
import { selectScans } from './select-scans.js';

export interface ScanFault {
  readonly qrId: string;
  /** What the code's counter says. */
  readonly counted: number;
  /** The scans that there are: of visits, and of days that were pruned. */
  readonly scans: number;
}

export interface ScanDiagnosis {
  readonly codes: number;
  readonly scans: number;
  readonly faults: readonly ScanFault[];
}

/** Counts every scan, visit by visit, and compares that with the counters. */
export function diagnoseScans(database: Database): Promise<ScanDiagnosis> {
  return database.snapshot(async (db) => {
    const scansOf = new Map<string, number>();
    const add = (qrId: string, scans: number) =>
      scansOf.set(qrId, (scansOf.get(qrId) ?? 0) + scans);
    const count = (columns: VisitColumns, urlAt: (at: number) => ScannedUrl | undefined) => {
      for (const at of selectScans(columns, always, urlAt).places) {
        const time = columns.visitedAt[at] as number;
        for (const span of urlAt(at)?.spans ?? []) if (isWithin(span, time)) add(span.qrId, 1);
      }
    };
    const urls = toScannedUrls(await selectSpans(db).execute());
    const compaction = await findCompaction(db);
    for (const { id, columns } of await readBatches(db, 0)) {
      const from = compaction && id <= compaction.upToBatch ? compaction.nextUrl : 0;
      count(columns, (at) => {
        const url = urls.get(columns.urlIds?.[at] as number);
        return url && url.urlId >= from ? url : undefined;
      });
    }
    for (const url of urls.values()) {
      const chunks = await db
        .selectFrom('visit_chunks')
        .select('visits')
        .where('url_id', '=', url.urlId)
        .execute();
      for (const { visits } of chunks) count(decodeColumns(visits), () => url);
    }
    const days = await db.selectFrom('scan_days').select(['qr_id', 'scans']).execute();
    for (const { qr_id, scans } of days) add(qr_id, scans);
    const counters = await db
      .selectFrom('qr_counts')
      .select(['qr_id', 'scans'])
      .orderBy('qr_id')
      .execute();
    return {
      codes: counters.length,
      scans: [...scansOf.values()].reduce((sum, each) => sum + each, 0),
      faults: counters
        .map(({ qr_id, scans }) => ({
          qrId: qr_id,
          counted: scans,
          scans: scansOf.get(qr_id) ?? 0,
        }))
        .filter(({ counted, scans }) => counted !== scans),
    };
  });
}

/** Sets counters right. What is counted meanwhile stays: they are changed by the difference. */
export async function mendScanCounters(
  database: Database,
  faults: readonly ScanFault[],
): Promise<void> {
  await database.write(async (transaction) => {
    for (const { qrId, counted, scans } of faults) {
      await transaction
        .updateTable('qr_counts')
        .set(({ eb }) => ({ scans: eb('scans', '+', scans - counted) }))
        .where('qr_id', '=', qrId)
        .execute();
    }
  }, 'exclusive');
}
