import type { WriteTransaction } from '../../storage/database.js';

/** Adds downloads, by the ids of QR codes, to their counters. */
export async function countDownloads(
  transaction: WriteTransaction,
  downloads: ReadonlyMap<string, number>,
): Promise<void> {
  for (const [qrId, count] of downloads) {
    await transaction
      .updateTable('qr_counts')
      .set(({ eb }) => ({ downloads: eb('downloads', '+', count) }))
      .where('qr_id', '=', qrId)
      .execute();
  }
}
