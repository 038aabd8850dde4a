import { sql } from 'kysely';
import type { DataOfEvent } from '../../events/define-event.js';
import { type EventOutbox, recordsEvents } from '../../events/event-outbox.js';
import { passesFilters, subscriptionOf } from '../../events/subscription.js';
import { type LinkOrigins, shortUrlOf } from '../../network/link-origins.js';
import type { PlanTable } from '../../organizations/plans.js';
import type { WriteTransaction } from '../../storage/database.js';
import { afterCommit } from '../../storage/group-commit.js';
import { isAmong } from '../../storage/statements.js';
import type { Visit } from '../journal/journal-lines.js';
import { maxVisitsPerEvent, type urlClicked } from './click-events.js';
import { type ScannedUrls, scanOf } from './scans.js';

export interface ClickOptions {
  readonly plans: PlanTable;
  readonly origins: LinkOrigins;
  /** The number of deliveries of clicks to a webhook that may wait before its clicks make no events. */
  readonly maxWaiting?: number | undefined;
  /** Called after the commit with the number of events that were not written. */
  readonly onDropped?: (webhookId: string, events: number) => void;
}

/** A visit as it is in an event, without anything that identifies the visitor. */
type ClickedVisit = DataOfEvent<typeof urlClicked>['visits'][number];

// Those of an hour of constant traffic.
const defaultMaxWaiting = 20_000;
// The bytes of waiting events, if all were as large as the next one. To read their sizes takes 100 ms.
const maxWaitingBytes = 64 * 1024 * 1024;
// Express, among others, accepts bodies of up to 100 KB by default. The rest is for the envelope.
const maxVisitBytes = 100 * 1024 - 1024;

/**
 * Records events of visits for the webhooks that name `url.clicked`, in the transaction that stores the visits.
 * Costs one look-up in an index without such a webhook.
 */
export async function recordClicks(
  transaction: WriteTransaction,
  outbox: Pick<EventOutbox, 'record'>,
  visits: readonly Visit[],
  scannedUrls: ScannedUrls,
  now: number,
  { plans, origins, maxWaiting = defaultMaxWaiting, onDropped }: ClickOptions,
): Promise<void> {
  const subscribers = await transaction
    .selectFrom('webhooks')
    .innerJoin('organizations', 'organizations.id', 'webhooks.organization_id')
    .select(['webhooks.id', 'organization_id', 'events', 'filters'])
    .select(['is_active', 'disabled_at', 'plan'])
    // The condition of the index.
    .where(sql<boolean>`replace(events, 'url.clicked', '') <> events`)
    .where('deleted_at', 'is', null)
    .execute();
  const webhooks = subscribers
    .filter((webhook) => recordsEvents(webhook, plans, now))
    .map((webhook) => ({ ...webhook, filters: subscriptionOf(webhook).filters }));
  if (webhooks.length === 0) return;
  const urlIds = new Set(visits.map(({ urlId }) => urlId));
  const urls = await transaction
    .selectFrom('urls')
    .leftJoin('domains', 'domains.id', 'urls.domain_id')
    .select(['urls.id', 'urls.organization_id', 'short_code', 'custom_slug', 'domain_id', 'tags'])
    .select('domains.hostname')
    .where(isAmong(transaction, sql.ref('urls.id'), urlIds))
    .where(
      'urls.organization_id',
      'in',
      webhooks.map(({ organization_id }) => organization_id),
    )
    .execute();
  const urlOf = new Map(urls.map((url) => [url.id, url]));
  const clicksOf = new Map<string, ClickedVisit[]>();
  for (const visit of visits) {
    const url = urlOf.get(visit.urlId);
    if (!url) continue;
    const { country, deviceType, browser, os, referrerDomain, referrerType } = visit.facts;
    const scan = scanOf(scannedUrls.get(visit.urlId), visit);
    const { short_code: shortCode, custom_slug: customSlug, hostname } = url;
    const click: ClickedVisit = {
      urlId: String(url.id),
      shortCode,
      customSlug,
      shortUrl: shortUrlOf(origins, { shortCode, customSlug, hostname }),
      visitedAt: new Date(visit.visitedAt).toISOString(),
      method: scan ? 'scan' : 'click',
      // Absent from clicks, because an event has at most 100 KB.
      ...(scan && { scanCertainty: scan.isProven ? 'proven' : 'inferred' }),
      ...{ country, deviceType, browser, os, referrerDomain, referrerType },
    };
    const { id: url_id, domain_id, tags } = url;
    const event = { type: 'url.clicked', url_id, domain_id, tags };
    for (const webhook of webhooks) {
      if (webhook.organization_id !== url.organization_id) continue;
      if (!passesFilters(webhook, event)) continue;
      const clicks = clicksOf.get(webhook.id);
      if (clicks) clicks.push(click);
      else clicksOf.set(webhook.id, [click]);
    }
  }
  for (const { id: onlyId, organization_id: organizationId } of webhooks) {
    const clicks = clicksOf.get(onlyId);
    if (!clicks) continue;
    const events = divide(clicks);
    const largest = Math.max(...events.map(({ bytes }) => bytes));
    const maxEvents = Math.min(maxWaiting, Math.ceil(maxWaitingBytes / largest));
    if (await hasBacklog(transaction, onlyId, maxEvents)) {
      afterCommit(transaction, () => onDropped?.(onlyId, events.length));
      continue;
    }
    for (const { visits: own } of events) {
      const event = { organizationId, now, data: { visits: own }, onlyId };
      outbox.record<typeof urlClicked>(transaction, { type: 'url.clicked' }, event);
    }
  }
}

async function hasBacklog(
  transaction: WriteTransaction,
  webhookId: string,
  maxWaiting: number,
): Promise<boolean> {
  // The condition of the index.
  const { rows } = await sql`select 1 from deliveries where webhook_id = ${webhookId}
    and event_type = 'url.clicked' and due_at is not null limit 1 offset ${maxWaiting - 1}`.execute(
    transaction,
  );
  return rows.length > 0;
}

/** Divides visits into those of each event. */
function divide(clicks: readonly ClickedVisit[]) {
  const events: { readonly visits: ClickedVisit[]; bytes: number }[] = [];
  for (const click of clicks) {
    // And a comma.
    const bytes = Buffer.byteLength(JSON.stringify(click)) + 1;
    const last = events.at(-1);
    if (last && last.bytes + bytes <= maxVisitBytes && last.visits.length < maxVisitsPerEvent) {
      last.visits.push(click);
      last.bytes += bytes;
    } else events.push({ visits: [click], bytes });
  }
  return events;
}
