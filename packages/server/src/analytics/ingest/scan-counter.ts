import { sql } from 'kysely';
import type { EventOutbox } from '../../events/event-outbox.js';
import { recordThresholds } from '../../events/record-thresholds.js';
import type { WriteTransaction } from '../../storage/database.js';
import { isAmong } from '../../storage/statements.js';
import { decideScan } from '../classify/decide-scan.js';
import type { Visit } from '../journal/journal-lines.js';
import { isWithin, selectSpans, toScannedUrls } from './scanned-url.js';

export interface ThresholdOptions {
  readonly outbox: EventOutbox;
  /** The click and scan counts at which an event is recorded, in ascending order. */
  readonly thresholds: readonly number[];
}

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
  if (byUrl.size === 0) return;
  const codes = await selectSpans(transaction)
    .where(isAmong(transaction, sql.ref('qr_codes.url_id'), byUrl.keys()))
    .execute();
  const added = new Map<string, number>();
  const urlIdOf = new Map<string, number>();
  for (const { urlId, hasSlug, spans } of toScannedUrls(codes).values()) {
    const scans = byUrl.get(urlId)?.filter(({ facts }) => decideScan(hasSlug, facts) !== null);
    for (const span of spans) {
      const count = scans?.filter(({ visitedAt }) => isWithin(span, visitedAt)).length ?? 0;
      if (count > 0) added.set(span.qrId, count);
      urlIdOf.set(span.qrId, urlId);
    }
  }
  if (added.size === 0) return;
  const changes = (await addScans(transaction, added)).map((counter) => ({
    urlId: urlIdOf.get(counter.id) as number,
    added: added.get(counter.id) as number,
    counters: [counter],
    thresholds,
  }));
  await recordThresholds(transaction, outbox, 'qr.scan_threshold', changes, now);
}

/**
 * Adds numbers of scans to the counters of QR codes, by their ids. Returns the counters. The caller has
 * locked the counters of their links.
 */
export async function addScans(transaction: WriteTransaction, added: ReadonlyMap<string, number>) {
  // One parameter for any number of codes.
  const members = Object.fromEntries([...added].map(([id, count]) => [id, [count]]));
  const { rows } = await sql<{ id: string; count: number; peak: number }>`
    update qr_counts set scans = scans + added.number
    from (select key as id, cast(value ->> 0 as bigint) as number
      from json_each(${JSON.stringify(members)})) as added
    where qr_id = added.id
    returning qr_id as id, scans as count, peak_scans as peak`.execute(transaction);
  return rows;
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
