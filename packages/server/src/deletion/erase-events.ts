import type { ErasedLink } from '../analytics/ingest/erasure-marks.js';
import type { Database } from '../storage/database.js';
import { urlDeleted } from '../urls/url-events.js';
import { type ClickedVisit, urlClicked } from '../webhooks/click-events.js';
import { yieldToEventLoop } from '../yield-to-event-loop.js';
import type { RowDeletion } from './delete-rows.js';

// The rows of events that one statement reads.
const eventsAtOnce = 200;

/**
 * Deletes the events about a link with their deliveries, and its visits in events about several links.
 * The event that tells of the erasure remains. No index orders events by their link, so all of them are
 * read, as for the deletion of an organization.
 */
export async function eraseEvents(
  database: Database,
  { urlId, organizationId }: ErasedLink,
  rows: RowDeletion,
  signal?: AbortSignal,
): Promise<void> {
  let last = '';
  while (!signal?.aborted) {
    const events = await database.read
      .selectFrom('events')
      .select(['id', 'organization_id', 'type', 'url_id'])
      .where('id', '>', last)
      .orderBy('id')
      .limit(eventsAtOnce)
      .execute();
    for (const { id, type, url_id, organization_id } of events) {
      if (organization_id !== organizationId) continue;
      if (type === urlClicked.type) await eraseClicks(database, id, urlId, rows);
      else if (url_id === urlId && !(await tellsOfErasure(database, id, type))) {
        await deleteEvent(id, rows);
      }
    }
    const end = events.at(-1);
    if (!end || events.length < eventsAtOnce) return;
    last = end.id;
    await yieldToEventLoop();
  }
}

async function tellsOfErasure(database: Database, id: string, type: string): Promise<boolean> {
  if (type !== urlDeleted.type) return false;
  const body = await readBody(database, id);
  return body?.data.isErased === true;
}

/** Removes the visits of a link from an event; without other visits, deletes it. */
async function eraseClicks(
  database: Database,
  id: string,
  urlId: number,
  rows: RowDeletion,
): Promise<void> {
  const body = await readBody(database, id);
  const visits = (body?.data.visits ?? []) as readonly ClickedVisit[];
  const rest = visits.filter((visit) => visit.urlId !== String(urlId));
  if (rest.length === visits.length) return;
  if (rest.length === 0) {
    await deleteEvent(id, rows);
    return;
  }
  const text = JSON.stringify({ ...body, data: { ...body?.data, visits: rest } });
  await database.writeDirectly((transaction) =>
    transaction.updateTable('events').set({ body: text }).where('id', '=', id).execute(),
  );
}

async function readBody(database: Database, id: string) {
  const row = await database.read
    .selectFrom('events')
    .select('body')
    .where('id', '=', id)
    .executeTakeFirst();
  return row && (JSON.parse(row.body) as { data: Record<string, unknown> });
}

async function deleteEvent(id: string, rows: RowDeletion): Promise<void> {
  await rows.deleteWhere('deliveries', 'event_id', [id]);
  await rows.deleteWhere('events', 'id', [id]);
}
