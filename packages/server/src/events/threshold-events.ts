import { z } from 'zod';
import type { WriteTransaction } from '../storage/database.js';
import { defineEvent } from './define-event.js';
import type { EventOutbox } from './event-outbox.js';

const data = z
  .object({
    id: z.string().meta({ description: 'The id of the URL or the QR code.', example: '42' }),
    shortCode: z.string().meta({ example: 'aB3xY9q' }),
    threshold: z
      .int()
      .min(1)
      .meta({ description: 'The threshold that was reached.', example: 100 }),
    count: z.int().min(0).meta({ description: 'The count when it was reached.', example: 103 }),
  })
  .meta({ id: 'ThresholdEventData' });

export const urlClickThreshold = defineEvent({
  type: 'url.click_threshold',
  data,
  summary: "A link's clicks reached a threshold",
});

export const qrScanThreshold = defineEvent({
  type: 'qr.scan_threshold',
  data,
  summary: "A QR code's scans reached a threshold",
});

/** Counters of one URL, or of its QR codes, that were increased by the same number. */
interface CounterChange {
  readonly event: typeof urlClickThreshold | typeof qrScanThreshold;
  readonly urlId: number;
  readonly added: number;
  /** The counters after the change, by the id of the URL or the QR code. */
  readonly counters: readonly { readonly id: string; readonly count: number }[];
}

/** Records an event for each threshold that a counter reaches by a change. */
export async function recordThresholds(
  transaction: WriteTransaction,
  outbox: EventOutbox,
  thresholds: readonly number[],
  { event, urlId, added, counters }: CounterChange,
  now: number,
): Promise<void> {
  const reached = counters.flatMap(({ id, count }) =>
    thresholds
      .filter((threshold) => count - added < threshold && threshold <= count)
      .map((threshold) => ({ id, threshold, count })),
  );
  if (reached.length === 0) return;
  const url = await transaction
    .selectFrom('urls')
    .select(['organization_id', 'short_code', 'domain_id', 'tags'])
    .where('id', '=', urlId)
    .executeTakeFirst();
  if (!url) return;
  const subject = { urlId, domainId: url.domain_id, tags: url.tags };
  await outbox.record(transaction, url.organization_id, event, now, () =>
    reached.map(({ id, threshold, count }) => ({
      data: { id, shortCode: url.short_code, threshold, count },
      subject,
    })),
  );
}
