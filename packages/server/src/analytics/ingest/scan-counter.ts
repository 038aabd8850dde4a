import { sql } from 'kysely';
import { recordThresholds, type ThresholdOptions } from '../../events/record-thresholds.js';
import type { WriteTransaction } from '../../storage/database.js';
import { isAmong } from '../../storage/statements.js';
import type { Visit } from '../journal/journal-lines.js';
import { type ScannedUrls, scanOf, selectSpans, spansAt, toScannedUrls } from './scans.js';

/**
 * Counts scans in the transaction that stores their visits. A URL without a QR code costs one index
 * lookup. Returns the URLs with QR codes.
 */
export async function countScans(
  transaction: WriteTransaction,
  options: ThresholdOptions,
  visits: readonly Visit[],
  now: number,
): Promise<ScannedUrls> {
  const urlIds = new Set(visits.flatMap(({ isByCode, urlId }) => (isByCode ? [urlId] : [])));
  if (urlIds.size === 0) return new Map();
  const codes = await selectSpans(transaction)
    .where(isAmong(transaction, sql.ref('qr_codes.url_id'), urlIds))
    .execute();
  const urls = toScannedUrls(codes);
  const added = new Map<string, number>();
  const urlIdOf = new Map<string, number>();
  for (const visit of visits) {
    const url = urls.get(visit.urlId);
    if (!url || !scanOf(url, visit)) continue;
    for (const { qrId } of spansAt(url, visit.visitedAt)) {
      added.set(qrId, (added.get(qrId) ?? 0) + 1);
      urlIdOf.set(qrId, visit.urlId);
    }
  }
  if (added.size === 0) return urls;
  const changes = (await addScans(transaction, added)).map((counter) => ({
    urlId: urlIdOf.get(counter.id) as number,
    added: added.get(counter.id) as number,
    ...counter,
  }));
  await recordThresholds(transaction, options, 'qr.scan_threshold', changes, now);
  return urls;
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
