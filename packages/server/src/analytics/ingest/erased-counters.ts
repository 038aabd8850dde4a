import { sql } from 'kysely';
import type { WriteTransaction } from '../../storage/database.js';
import type { Erasure } from './erasure-marks.js';
import { selectSpans, toScannedUrls } from './scanned-url.js';
import { countScansOfCodes, selectClicks } from './select-visits.js';
import { listRows, readRows } from './stored-visits.js';

/**
 * Sets the counters of a link and its QR codes to the visits that remain. The counts before are stored,
 * because a threshold that was reached is not sent again.
 */
export async function resetCounters(
  transaction: WriteTransaction,
  { urlId, organizationId, until }: Erasure,
): Promise<void> {
  const spans = await selectSpans(transaction).where('qr_codes.url_id', '=', urlId).execute();
  const url = toScannedUrls(spans).get(urlId);
  const scans = new Map(url?.spans.map(({ qrId }) => [qrId, 0]));
  let clicks = 0;
  const remaining = { since: until + 1, until: Number.MAX_SAFE_INTEGER };
  const urlIds = Float64Array.of(urlId);
  const rows = await listRows(transaction, { ...remaining, organizationId, urlIds });
  for await (const visits of readRows(transaction, rows, urlIds)) {
    clicks += selectClicks(visits, remaining).length;
    countScansOfCodes(scans, visits, remaining, () => url);
  }
  await storePeaks(transaction, urlId);
  await transaction
    .updateTable('url_clicks')
    .set({
      clicks,
      // They stay used if the link has a limit.
      erased_clicks: sql<number>`erased_clicks + clicks - ${clicks}`,
      last_clicked_at: sql<number>`case when last_clicked_at > ${until} then last_clicked_at end`,
    })
    .where('url_id', '=', urlId)
    .execute();
  for (const [qrId, count] of scans) {
    await transaction
      .updateTable('qr_counts')
      .set({ scans: count })
      .where('qr_id', '=', qrId)
      .execute();
  }
}

/** Stores the highest counts of a link and its QR codes, before the counters decrease. */
export async function storePeaks(transaction: WriteTransaction, urlId: number): Promise<void> {
  await transaction
    .updateTable('url_clicks')
    .set({ peak_clicks: greatest('peak_clicks', 'clicks') })
    .where('url_id', '=', urlId)
    .execute();
  await transaction
    .updateTable('qr_counts')
    .set({ peak_scans: greatest('peak_scans', 'scans') })
    .where(
      'qr_id',
      'in',
      transaction.selectFrom('qr_codes').select('id').where('url_id', '=', urlId),
    )
    .execute();
}

// SQLite has no `greatest`.
function greatest(a: string, b: string) {
  const [one, other] = [sql.ref(a), sql.ref(b)];
  return sql<number>`case when ${one} > ${other} then ${one} else ${other} end`;
}
