import type { Kysely } from 'kysely';
import type { EventOutbox } from '../../events/event-outbox.js';
import { recordThresholds } from '../../events/record-thresholds.js';
import { qrScanThreshold } from '../../events/threshold-events.js';
import type { Schema, WriteTransaction } from '../../storage/database.js';
import { prepare } from '../../storage/prepared.js';
import { decideScan } from '../classify/decide-scan.js';
import type { Visit } from '../journal/visit.js';
import {
  isWithin,
  type QrSpan,
  type ScannedUrl,
  selectSpans,
  toScannedUrls,
} from './scanned-url.js';

export interface ThresholdOptions {
  readonly outbox: EventOutbox;
  /** The click and scan counts at which an event is recorded, in ascending order. */
  readonly thresholds: readonly number[];
}

// The number of URLs, or of QR codes, in one prepared statement.
const idsPerStatement = 128;
// No URL and no QR code has this id.
const noUrl = 0;
const noQr = '';

/**
 * Counts scans in the transaction that stores their visits. A URL without a QR code costs one index
 * lookup.
 */
export class ScanCounter {
  readonly #options: ThresholdOptions;
  readonly #spansOf;
  readonly #addScans;

  constructor(db: Kysely<Schema>, options: ThresholdOptions) {
    this.#options = options;
    const anyUrls = new Array<number>(idsPerStatement).fill(noUrl);
    const anyQrs = new Array<string>(idsPerStatement).fill(noQr);
    this.#spansOf = prepare(selectSpans(db).where('qr_codes.url_id', 'in', anyUrls));
    this.#addScans = prepare(
      db
        .updateTable('qr_counts')
        .set(({ eb, val }) => ({ scans: eb('scans', '+', val(0)) }))
        .where('qr_id', 'in', anyQrs)
        .returning(['qr_id', 'scans']),
    );
  }

  async count(transaction: WriteTransaction, visits: readonly Visit[], now: number): Promise<void> {
    const byUrl = groupCandidates(visits);
    for (const part of padded([...byUrl.keys()], noUrl)) {
      const spans = await transaction.executeQuery(this.#spansOf(...part));
      for (const url of toScannedUrls(spans.rows).values()) {
        await this.#countUrl(transaction, url, byUrl.get(url.urlId) ?? [], now);
      }
    }
  }

  async #countUrl(
    transaction: WriteTransaction,
    { urlId, hasSlug, spans }: ScannedUrl,
    visits: readonly Visit[],
    now: number,
  ): Promise<void> {
    const { outbox, thresholds } = this.#options;
    const scans = visits.filter(({ facts }) => decideScan(hasSlug, facts) !== null);
    for (const [added, qrIds] of groupByScans(spans, scans)) {
      for (const part of padded(qrIds, noQr)) {
        const { rows } = await transaction.executeQuery(this.#addScans(added, ...part));
        const counters = rows.map((row) => ({ id: row.qr_id, count: row.scans }));
        const change = { event: qrScanThreshold, urlId, added, counters };
        await recordThresholds(transaction, outbox, thresholds, change, now);
      }
    }
  }
}

/** Divides ids into parts of the length that the prepared statements require. */
function* padded<Id>(ids: readonly Id[], filler: Id): Generator<readonly Id[]> {
  for (let start = 0; start < ids.length; start += idsPerStatement) {
    const part = ids.slice(start, start + idsPerStatement);
    yield [...part, ...new Array<Id>(idsPerStatement - part.length).fill(filler)];
  }
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
