import { sql } from 'kysely';
import { recordsEvents } from '../../events/event-outbox.js';
import { passesFilters, subscriptionOf } from '../../events/subscription.js';
import type { PlanTable } from '../../organizations/plans.js';
import type { WriteTransaction } from '../../storage/database.js';
import type { Visit } from '../journal/journal-lines.js';
import { type ScannedUrls, scanOf } from './scans.js';

export interface ClickQueueOptions {
  readonly plans: PlanTable;
  /** The maximum number of batches that wait for one webhook. */
  readonly maxBatches?: number | undefined;
}

/** A visit that waits for a webhook, without anything that identifies the visitor. */
export interface QueuedVisit
  extends Pick<
    Visit['facts'],
    'country' | 'deviceType' | 'browser' | 'os' | 'referrerDomain' | 'referrerType'
  > {
  readonly urlId: string;
  readonly shortCode: string;
  readonly customSlug: string | null;
  /** That of the link's domain; null on the platform's. */
  readonly hostname: string | null;
  readonly visitedAt: string;
  readonly method: 'click' | 'scan';
  readonly scanCertainty?: 'proven' | 'inferred';
}

/** The maximum number of visits in one event, and in one batch that waits to become an event. */
export const maxVisitsPerEvent = 500;
// Up to 100,000 visits, about 30 MB.
const defaultMaxBatches = 200;

/**
 * Adds visits to the batches of the webhooks that name `url.clicked`, in the transaction that stores them.
 * Costs one look-up in an index without such a webhook.
 */
export async function queueClicks(
  transaction: WriteTransaction,
  visits: readonly Visit[],
  scannedUrls: ScannedUrls,
  now: number,
  { plans, maxBatches = defaultMaxBatches }: ClickQueueOptions,
): Promise<void> {
  const subscribers = await transaction
    .selectFrom('webhooks')
    .innerJoin('organizations', 'organizations.id', 'webhooks.organization_id')
    .select(['webhooks.id', 'organization_id', 'events', 'filters'])
    .select(['is_active', 'disabled_at', 'plan'])
    // The condition of the index.
    .where(sql<boolean>`replace(events, 'url.clicked', '') <> events`)
    .where('deleted_at', 'is', null)
    // All nodes lock batches in ascending order, which prevents deadlock.
    .orderBy('webhooks.id')
    .execute();
  const webhooks = subscribers
    .filter((webhook) => recordsEvents(webhook, plans, now))
    .map((webhook) => ({ ...webhook, filters: subscriptionOf(webhook).filters }));
  if (webhooks.length === 0) return;
  const urlIds = [...new Set(visits.map(({ urlId }) => urlId))];
  const urls = await transaction
    .selectFrom('urls')
    .leftJoin('domains', 'domains.id', 'urls.domain_id')
    .select(['urls.id', 'urls.organization_id', 'short_code', 'custom_slug', 'domain_id', 'tags'])
    .select('domains.hostname')
    .where('urls.id', 'in', urlIds)
    .where(
      'urls.organization_id',
      'in',
      webhooks.map(({ organization_id }) => organization_id),
    )
    .execute();
  if (urls.length === 0) return;
  const urlOf = new Map(urls.map((url) => [url.id, url]));
  const linesOf = new Map<string, string[]>();
  for (const visit of visits) {
    const url = urlOf.get(visit.urlId);
    if (!url) continue;
    const { country, deviceType, browser, os, referrerDomain, referrerType } = visit.facts;
    const scan = scanOf(scannedUrls.get(visit.urlId), visit);
    const queued: QueuedVisit = {
      urlId: String(url.id),
      shortCode: url.short_code,
      customSlug: url.custom_slug,
      hostname: url.hostname,
      visitedAt: new Date(visit.visitedAt).toISOString(),
      method: scan ? 'scan' : 'click',
      // Absent from clicks, because an event has at most 100 KB.
      ...(scan && { scanCertainty: scan.isProven ? 'proven' : 'inferred' }),
      ...{ country, deviceType, browser, os, referrerDomain, referrerType },
    };
    const line = JSON.stringify(queued);
    const { id: url_id, domain_id, tags } = url;
    const event = { type: 'url.clicked', url_id, domain_id, tags };
    for (const webhook of webhooks) {
      if (webhook.organization_id !== url.organization_id) continue;
      if (!passesFilters(webhook, event)) continue;
      const lines = linesOf.get(webhook.id);
      if (lines) lines.push(line);
      else linesOf.set(webhook.id, [line]);
    }
  }
  for (const { id } of webhooks) {
    const lines = linesOf.get(id) ?? [];
    for (let start = 0; start < lines.length; start += maxVisitsPerEvent) {
      const slice = lines.slice(start, start + maxVisitsPerEvent);
      await addToQueue(transaction, id, slice, maxBatches);
    }
  }
}

/**
 * Adds visits to the newest batch of a webhook while it has room, and otherwise begins one. If there are too
 * many then, the oldest are deleted and counted as omitted.
 */
async function addToQueue(
  transaction: WriteTransaction,
  webhookId: string,
  lines: readonly string[],
  maxBatches: number,
): Promise<void> {
  const visits = lines.join('\n');
  const own = transaction.selectFrom('queued_clicks').where('webhook_id', '=', webhookId);
  const { numUpdatedRows } = await transaction
    .updateTable('queued_clicks')
    .set(({ eb }) => ({
      visit_count: eb('visit_count', '+', lines.length),
      visits: sql<string>`visits || ${`\n${visits}`}`,
    }))
    .where(
      'id',
      '=',
      own.select(({ fn }) => fn.max('id').as('newest')),
    )
    .where('visit_count', '<=', maxVisitsPerEvent - lines.length)
    .executeTakeFirstOrThrow();
  if (numUpdatedRows > 0n) return;
  await transaction
    .insertInto('queued_clicks')
    .values({ webhook_id: webhookId, visit_count: lines.length, visits, omitted: 0 })
    .execute();
  const [last, ...older] = await own
    .select(['id', 'visit_count', 'omitted'])
    .orderBy('id', 'desc')
    .limit(maxBatches)
    .offset(maxBatches)
    .execute();
  if (!last) return;
  const omitted = [last, ...older].reduce((sum, row) => sum + row.visit_count + row.omitted, 0);
  await transaction
    .deleteFrom('queued_clicks')
    .where('webhook_id', '=', webhookId)
    .where('id', '<=', last.id)
    .execute();
  await transaction
    .updateTable('queued_clicks')
    .set(({ eb }) => ({ omitted: eb('omitted', '+', omitted) }))
    .where(
      'id',
      '=',
      own.select(({ fn }) => fn.min('id').as('oldest')),
    )
    .execute();
}
