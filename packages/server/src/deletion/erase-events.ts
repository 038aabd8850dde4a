import { type RawBuilder, sql } from 'kysely';
import type { ErasedLink } from '../analytics/ingest/erasure-marks.js';
import type { DeliveredEvent } from '../events/event-outbox.js';
import type { Database, Schema } from '../storage/database.js';
import { readInSlices } from '../storage/read-in-batches.js';
import { urlDeleted } from '../urls/url-events.js';
import { type ClickedVisit, urlClicked } from '../webhooks/click-events.js';
import { removeQueuedClicks } from '../webhooks/click-queue.js';
import { findWebhookIds } from '../webhooks/find-webhook-ids.js';
import type { RowDeletion } from './delete-rows.js';

// Events that are deleted together. Each usually has a delivery for each webhook.
const eventsAtOnce = 50;

/**
 * Deletes the events about a link with their deliveries, and its visits in events about several links.
 * The event that tells of the erasure remains. Events are found by their deliveries: each event has some,
 * or lists the webhooks that will get some.
 */
export async function eraseEvents(
  database: Database,
  link: ErasedLink,
  rows: RowDeletion,
  signal?: AbortSignal,
): Promise<void> {
  const { urlId, organizationId } = link;
  // First, because the dispatcher may write their deliveries meanwhile.
  await eraseEventsToFanOut(database, link, signal);
  for (const webhookId of await findWebhookIds(database.read, organizationId)) {
    await removeQueuedClicks(database, webhookId, urlId);
    const deliveriesWith = (condition: RawBuilder<unknown>) =>
      readInSlices<DeliveredEvent>(
        database.read,
        sql`from deliveries as own where webhook_id = ${webhookId} and ${condition}`,
        ['created_at', 'id'],
        signal,
      );
    const toDelete = new Set<string>();
    const deleteEvents = async () => {
      // An event is deleted with the last of its deliveries.
      if (toDelete.size > 0) await rows.deleteWhere('deliveries', 'event_id', [...toDelete]);
      toDelete.clear();
    };
    const deleteLater = async (id: string) => {
      toDelete.add(id);
      if (toDelete.size === eventsAtOnce) await deleteEvents();
    };
    for await (const { event_id, event_type } of deliveriesWith(sql`url_id = ${urlId}`)) {
      if (await tellsOfErasure(database, event_id, event_type)) continue;
      await deleteLater(event_id);
    }
    for await (const { event_id } of deliveriesWith(sql`event_type = ${urlClicked.type}`)) {
      if (await eraseClicks(database, event_id, link)) await deleteLater(event_id);
    }
    await deleteEvents();
  }
}

/** Deletes the events about a link that have no deliveries yet. */
async function eraseEventsToFanOut(
  database: Database,
  { urlId, organizationId }: ErasedLink,
  signal: AbortSignal | undefined,
): Promise<void> {
  const toFanOut = sql`from events as own
    where organization_id = ${organizationId} and webhook_ids is not null and url_id = ${urlId}`;
  const events = readInSlices<Pick<Schema['events'], 'id' | 'type'>>(
    database.read,
    toFanOut,
    ['id'],
    signal,
  );
  for await (const { id, type } of events) {
    if (await tellsOfErasure(database, id, type)) continue;
    await database.writeDirectly(
      (transaction) =>
        transaction
          .deleteFrom('events')
          .where('id', '=', id)
          .where('webhook_ids', 'is not', null)
          .execute(),
      { organizationId },
    );
  }
}

async function tellsOfErasure(database: Database, id: string, type: string): Promise<boolean> {
  if (type !== urlDeleted.type) return false;
  const body = await readBody(database, id);
  return body?.data.isErased === true;
}

/** Removes the visits of a link from an event, unless it has no others. Returns whether it has none. */
async function eraseClicks(
  database: Database,
  id: string,
  { urlId, organizationId }: ErasedLink,
): Promise<boolean> {
  const body = await readBody(database, id);
  const visits = (body?.data.visits ?? []) as readonly ClickedVisit[];
  const rest = visits.filter((visit) => visit.urlId !== String(urlId));
  if (rest.length === visits.length) return false;
  if (rest.length === 0) return true;
  const text = JSON.stringify({ ...body, data: { ...body?.data, visits: rest } });
  await database.writeDirectly(
    (transaction) =>
      transaction.updateTable('events').set({ body: text }).where('id', '=', id).execute(),
    { organizationId },
  );
  return false;
}

async function readBody(database: Database, id: string) {
  const row = await database.read
    .selectFrom('events')
    .select('body')
    .where('id', '=', id)
    .executeTakeFirst();
  return row && (JSON.parse(row.body) as { data: Record<string, unknown> });
}
