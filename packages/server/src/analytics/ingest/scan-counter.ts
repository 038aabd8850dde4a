import type { EventOutbox } from '../../events/event-outbox.js';
import { type CounterChange, recordThresholds } from '../../events/record-thresholds.js';
import type { WriteTransaction } from '../../storage/database.js';
import { decideScan } from '../classify/decide-scan.js';
import type { Visit } from '../journal/journal-lines.js';
import {
  isWithin,
  type QrSpan,
  type ScannedUrl,
  selectSpans,
  toScannedUrls,
} from './scanned-url.js';
import { slicesOf } from './slices-of.js';

export interface ThresholdOptions {
  readonly outbox: EventOutbox;
  /** The click and scan counts at which an event is recorded, in ascending order. */
  readonly thresholds: readonly number[];
}

// The number of URLs, or of QR codes, in one statement.
const idsPerStatement = 128;

/**
 * Counts scans in the transaction that stores their visits. A URL without a QR code costs one index
 * lookup.
 */
export async function countScans(
  transaction: WriteTransaction,
  { outbox, thresholds }: ThresholdOptions,
  visits: readonly Visit[],
  now: number,
): Promise<void> {
  const byUrl = groupCandidates(visits);
  const changes: CounterChange[] = [];
  for (const urlIds of slicesOf([...byUrl.keys()], idsPerStatement)) {
    const spans = await selectSpans(transaction).where('qr_codes.url_id', 'in', urlIds).execute();
    for (const url of toScannedUrls(spans).values()) {
      for await (const change of countScansOfUrl(transaction, url, byUrl.get(url.urlId) ?? [])) {
        changes.push({ ...change, thresholds });
      }
    }
  }
  await recordThresholds(transaction, outbox, 'qr.scan_threshold', changes, now);
}

async function* countScansOfUrl(
  transaction: WriteTransaction,
  { urlId, hasSlug, spans }: ScannedUrl,
  visits: readonly Visit[],
): AsyncGenerator<Omit<CounterChange, 'thresholds'>> {
  const scans = visits.filter(({ facts }) => decideScan(hasSlug, facts) !== null);
  for (const [added, allIds] of groupByScans(spans, scans)) {
    for (const qrIds of slicesOf(allIds, idsPerStatement)) {
      yield { urlId, added, counters: await addScans(transaction, qrIds, added) };
    }
  }
}

/** Adds a number of scans to the counter of each QR code. Returns the counters. */
export function addScans(transaction: WriteTransaction, qrIds: readonly string[], added: number) {
  return transaction
    .updateTable('qr_counts')
    .set(({ eb }) => ({ scans: eb('scans', '+', added) }))
    .where('qr_id', 'in', qrIds)
    .returning(['qr_id as id', 'scans as count', 'peak_scans as peak'])
    .execute();
}

/** Groups the QR codes by the number of scans within their lifetime. Most have all scans, or none. */
function groupByScans(
  spans: readonly QrSpan[],
  scans: readonly Visit[],
): ReadonlyMap<number, readonly string[]> {
  const times = scans.map(({ visitedAt }) => visitedAt);
  const first = Math.min(...times);
  const last = Math.max(...times);
  const groups = new Map<number, string[]>();
  for (const span of spans) {
    const hasAll = isWithin(span, first) && isWithin(span, last);
    const count = hasAll ? times.length : times.filter((at) => isWithin(span, at)).length;
    if (count === 0) continue;
    const known = groups.get(count);
    if (known) known.push(span.qrId);
    else groups.set(count, [span.qrId]);
  }
  return groups;
}

/** Groups the visits that may be scans by URL: visits of people that used the short code. */
function groupCandidates(visits: readonly Visit[]): ReadonlyMap<number, readonly Visit[]> {
  const byUrl = new Map<number, Visit[]>();
  for (const visit of visits) {
    if (!visit.isByCode || visit.facts.kind !== 'human') continue;
    const known = byUrl.get(visit.urlId);
    if (known) known.push(visit);
    else byUrl.set(visit.urlId, [visit]);
  }
  return byUrl;
}
