import type { WriteTransaction } from '../storage/database.js';
import type { EventOutbox } from './event-outbox.js';
import type { qrScanThreshold, urlClickThreshold } from './threshold-events.js';

export interface CounterChange {
  readonly event: typeof urlClickThreshold | typeof qrScanThreshold;
  /** The id of the URL or QR code. */
  readonly id: string;
  /** The URL, or the URL of the QR code. */
  readonly urlId: number;
  /** The counter after the change. */
  readonly count: number;
  readonly added: number;
}

/** Records an event for each threshold that a counter reaches by a change. */
export async function recordThresholds(
  transaction: WriteTransaction,
  outbox: EventOutbox,
  thresholds: readonly number[],
  { event, id, urlId, count, added }: CounterChange,
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
