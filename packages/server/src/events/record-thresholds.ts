import type { WriteTransaction } from '../storage/database.js';
import type { EventOutbox } from './event-outbox.js';
import type { qrScanThreshold, urlClickThreshold } from './threshold-events.js';

export interface Counted {
  readonly event: typeof urlClickThreshold | typeof qrScanThreshold;
  /** Of the link or the QR code that was counted. */
  readonly id: string;
  /** The link, or the link of the code. */
  readonly urlId: number;
  /** The count, and how much of it is new. */
  readonly count: number;
  readonly added: number;
}

/** Records the thresholds that a count has just reached as events, each exactly once. */
export async function recordThresholds(
  transaction: WriteTransaction,
  outbox: EventOutbox,
  thresholds: readonly number[],
  { event, id, urlId, count, added }: Counted,
  now: number,
): Promise<void> {
  const before = count - added;
  const reached = thresholds.filter((threshold) => before < threshold && threshold <= count);
  if (reached.length === 0) return;
  const url = await transaction
    .selectFrom('urls')
    .select(['organization_id', 'short_code'])
    .where('id', '=', urlId)
    .executeTakeFirst();
  if (!url) return;
  await outbox.record(transaction, url.organization_id, event, now, () =>
    reached.map((threshold) => ({ id, shortCode: url.short_code, threshold, count })),
  );
}
