import type { Kysely } from 'kysely';
import type { EventOutbox } from '../../events/event-outbox.js';
import { recordThresholds } from '../../events/record-thresholds.js';
import { qrScanThreshold } from '../../events/threshold-events.js';
import type { Schema, WriteTransaction } from '../../storage/database.js';
import { prepare } from '../../storage/prepared.js';
import { decideScan } from '../classify/decide-scan.js';
import type { Visit } from '../journal/visit.js';
import { isWithin, type ScannedUrl, selectSpans, toScannedUrls } from './scanned-url.js';

export interface ScanCounterOptions {
  readonly outbox: EventOutbox;
  /** The scan counts at which an event is recorded, in ascending order. */
  readonly thresholds: readonly number[];
}

// The number of URLs that one prepared statement looks up.
const urlsPerStatement = 128;
// No URL has this id.
const noUrl = 0;

/**
 * Counts scans in the transaction that stores their visits. A URL without a QR code costs one index
 * lookup. A database without QR codes costs one query.
 */
export class ScanCounter {
  readonly #options: ScanCounterOptions;
  readonly #anyQrCode;
  readonly #spansOf;
  readonly #addScans;

  constructor(db: Kysely<Schema>, options: ScanCounterOptions) {
    this.#options = options;
    this.#anyQrCode = prepare(
      db.selectFrom('qr_codes').select('id').where('url_id', 'is not', null).limit(1),
    );
    this.#spansOf = prepare(
      selectSpans(db).where(
        'qr_codes.url_id',
        'in',
        new Array<number>(urlsPerStatement).fill(noUrl),
      ),
    );
    this.#addScans = prepare(
      db
        .updateTable('qr_counts')
        .set(({ eb, val }) => ({ scans: eb('scans', '+', val(0)) }))
        .where('qr_id', '=', '')
        .returning('scans'),
    );
  }

  async count(transaction: WriteTransaction, visits: readonly Visit[], now: number): Promise<void> {
    const byUrl = groupCandidates(visits);
    if (byUrl.size === 0) return;
    const { rows } = await transaction.executeQuery(this.#anyQrCode(1));
    if (rows.length === 0) return;
    const urlIds = [...byUrl.keys()];
    for (let start = 0; start < urlIds.length; start += urlsPerStatement) {
      const part = urlIds.slice(start, start + urlsPerStatement);
      const filler = new Array<number>(urlsPerStatement - part.length).fill(noUrl);
      const spans = await transaction.executeQuery(this.#spansOf(...part, ...filler));
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
    const scans = visits.filter(
      ({ facts }) => decideScan({ hasQr: true, hasSlug, isByCode: true }, facts) !== null,
    );
    for (const span of spans) {
      const added = scans.filter(({ visitedAt }) => isWithin(span, visitedAt)).length;
      if (added === 0) continue;
      const { rows } = await transaction.executeQuery(this.#addScans(added, span.qrId));
      const count = rows[0]?.scans ?? added;
      await recordThresholds(
        transaction,
        this.#options.outbox,
        this.#options.thresholds,
        { event: qrScanThreshold, id: span.qrId, urlId, count, added },
        now,
      );
    }
  }
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
