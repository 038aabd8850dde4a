import { sql } from 'kysely';
import type { QueuedVisit } from '../analytics/ingest/queue-clicks.js';
import { disabledRetentionMs, type EventOutbox } from '../events/event-outbox.js';
import type { Clock } from '../ports.js';
import type { Database } from '../storage/database.js';
import { type LinkOrigins, shortUrlOf } from '../urls/link-origins.js';
import type { urlClicked } from './click-events.js';

export interface ClickOptions {
  readonly database: Database;
  readonly outbox: Pick<EventOutbox, 'record'>;
  readonly clock: Clock;
  readonly origins: LinkOrigins;
}

type Batch = Awaited<ReturnType<typeof findOldest>>[number];

// The shortest time between two events of a webhook, and the same while its endpoint fails: its
// deliveries are retried for more than a day, so it must not have many.
const intervalMs = 1_000;
const failingIntervalMs = 60_000;
// Express, among others, accepts bodies of up to 100 KB by default. The rest is for the envelope.
const maxVisitBytes = 100 * 1024 - 1024;
// The number of events that one call writes. Each takes up to 4 ms, and the next call is half a second
// later, so other writes get at least four fifths of the time.
const eventsPerCall = 25;

/**
 * Makes the batches of clicks that wait for webhooks into events, and deletes batches that no webhook wants.
 * The next event of a webhook is written after the first attempt to deliver the one before, so a slow
 * endpoint gets fewer and larger ones. Returns false without batches.
 */
export async function writeClicks(options: ClickOptions): Promise<boolean> {
  const { database, clock } = options;
  const now = clock();
  const batches = await findOldest(database);
  for (const batch of batches) if (!isWanted(batch, now)) await deleteAll(database, batch);
  const due = batches.filter((batch) => isWanted(batch, now) && isDue(batch, now));
  for (const batch of due.slice(0, eventsPerCall)) await writeEvent(options, batch, now);
  return batches.length > 0;
}

/** Returns the oldest batch of each webhook. The one whose last event is the oldest comes first. */
function findOldest({ read }: Database) {
  const lastDelivery = sql<string>`(select id from deliveries
      where webhook_id = webhooks.id and event_type = 'url.clicked'
      order by created_at desc, id desc limit 1)`;
  return read
    .selectFrom(
      read
        .selectFrom('queued_clicks')
        .select((queued) => ['webhook_id', queued.fn.min('queued_clicks.id').as('id')])
        .groupBy('webhook_id')
        .as('oldest'),
    )
    .innerJoin('webhooks', 'webhooks.id', 'oldest.webhook_id')
    .leftJoin('deliveries', (join) => join.on('deliveries.id', '=', lastDelivery))
    .select(['oldest.id', 'oldest.webhook_id', 'organization_id', 'events', 'deleted_at'])
    .select(['is_active', 'disabled_at', 'failing_since', 'attempts', 'status'])
    .select(({ fn }) => fn.coalesce('deliveries.created_at', sql.lit(0)).as('lastAt'))
    .orderBy('lastAt')
    .execute();
}

async function writeEvent(
  { database, outbox, origins }: ClickOptions,
  { id, webhook_id, organization_id }: Batch,
  now: number,
): Promise<void> {
  await database.writeDirectly(async (transaction) => {
    const batch = await transaction
      .selectFrom('queued_clicks')
      .select(['visits', 'omitted'])
      .where('id', '=', id)
      .$if(database.engine === 'postgres', (query) => query.forUpdate())
      .executeTakeFirst();
    // Another node has written the event.
    if (!batch) return;
    const lines = batch.visits.split('\n');
    const all = lines.map((line) => toClickedVisit(JSON.parse(line), origins));
    const visits = all.slice(0, countFitting(all));
    const rest = lines.slice(visits.length);
    const remaining = { visit_count: rest.length, visits: rest.join('\n'), omitted: 0 };
    await (rest.length === 0
      ? transaction.deleteFrom('queued_clicks').where('id', '=', id).execute()
      : transaction.updateTable('queued_clicks').set(remaining).where('id', '=', id).execute());
    const data = { visits, omitted: batch.omitted };
    const event = { organizationId: organization_id, now, data, onlyId: webhook_id };
    outbox.record<typeof urlClicked>(transaction, { type: 'url.clicked' }, event);
  }, 'rows');
}

async function deleteAll(database: Database, { webhook_id }: Batch): Promise<void> {
  await database.writeDirectly(
    (transaction) =>
      transaction.deleteFrom('queued_clicks').where('webhook_id', '=', webhook_id).execute(),
    'rows',
  );
}

/** Returns whether the webhook of a batch gets its clicks, now or when it is enabled again. */
function isWanted({ deleted_at, disabled_at, events }: Batch, now: number): boolean {
  return (
    deleted_at === null &&
    (disabled_at === null || now < disabled_at + disabledRetentionMs) &&
    (JSON.parse(events) as string[]).includes('url.clicked')
  );
}

function isDue({ is_active, failing_since, lastAt, attempts, status }: Batch, now: number) {
  const wasAttempted = attempts === null || attempts > 0 || status !== 'pending';
  const nextAt = Number(lastAt) + (failing_since === null ? intervalMs : failingIntervalMs);
  return is_active === 1 && nextAt <= now && wasAttempted;
}

function toClickedVisit({ hostname, ...visit }: QueuedVisit, origins: LinkOrigins) {
  return { ...visit, shortUrl: shortUrlOf(origins, { ...visit, hostname }) };
}

/** Returns how many of the first visits one event can have. */
function countFitting(visits: readonly object[]): number {
  let bytes = 0;
  const tooMany = visits.findIndex((visit) => {
    // And a comma.
    bytes += Buffer.byteLength(JSON.stringify(visit)) + 1;
    return bytes > maxVisitBytes;
  });
  return tooMany < 0 ? visits.length : tooMany;
}
