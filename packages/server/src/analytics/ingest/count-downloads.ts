import type { WriteTransaction } from '../../storage/database.js';

/** Adds downloads to the counts of codes, by their ids. */
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
