import { sql } from 'kysely';
import type { WriteTransaction } from '../storage/database.js';
import { isAmong } from '../storage/statements.js';
import type { EventOutbox } from './event-outbox.js';
import type { qrScanThreshold, urlClickThreshold } from './threshold-events.js';

type ThresholdEvent = typeof urlClickThreshold | typeof qrScanThreshold;

/** The counter of a URL or a QR code that was increased. */
export interface CounterChange {
  /** The id of the URL or the QR code. */
  readonly id: string;
  readonly urlId: number;
  readonly added: number;
  /** The counter after the change. */
  readonly count: number;
  /** The greatest count before an erasure of visits. Its thresholds are not recorded again. */
  readonly peak: number;
}

export interface ThresholdOptions {
  readonly outbox: EventOutbox;
  /** The click and scan counts at which an event is recorded, in ascending order. */
  readonly thresholds: readonly number[];
}

/**
 * Records an event for each threshold that a counter reaches by one of the changes. The number of
 * queries does not depend on the number of URLs.
 */
export async function recordThresholds(
  transaction: WriteTransaction,
  { outbox, thresholds }: ThresholdOptions,
  type: ThresholdEvent['type'],
  changes: readonly CounterChange[],
  now: number,
): Promise<void> {
  const reached = changes.flatMap((change) => {
    const before = Math.max(change.count - change.added, change.peak);
    const passed = thresholds.filter((each) => before < each && each <= change.count);
    return passed.map((threshold) => ({ ...change, threshold }));
  });
  if (reached.length === 0) return;
  const urlIds = reached.map(({ urlId }) => urlId);
  const urls = await transaction
    .selectFrom('urls')
    .select(['id', 'organization_id', 'short_code', 'domain_id', 'tags'])
    .where(isAmong(transaction, sql.ref('id'), urlIds))
    .execute();
  const urlOf = new Map(urls.map((url) => [url.id, url]));
  for (const { urlId, id, threshold, count } of reached) {
    const url = urlOf.get(urlId);
    if (!url) continue;
    const data = { id, shortCode: url.short_code, threshold, count };
    const subject = { urlId, domainId: url.domain_id, tags: url.tags };
    const event = { organizationId: url.organization_id, now, data, subject };
    outbox.record<ThresholdEvent>(transaction, { type }, event);
  }
}
