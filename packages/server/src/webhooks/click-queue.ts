import type { EventOutbox } from '../events/event-outbox.js';
import { disabledRetentionMs } from '../events/event-outbox.js';
import type { Clock } from '../ports.js';
import type { Database, WriteTransaction } from '../storage/database.js';
import { type ClickedVisit, maxVisitsPerEvent, urlClicked } from './click-events.js';

/** New clicks for one webhook. */
export interface NewClicks {
  readonly webhookId: string;
  /** The visits as JSON, in the order of their storage. */
  readonly lines: readonly string[];
}

export interface ClickBatcherOptions {
  readonly database: Database;
  readonly outbox: Pick<EventOutbox, 'recordFor'>;
  readonly clock: Clock;
}

type Queue = Awaited<ReturnType<ClickBatcher['findQueues']>>[number];

// The shortest time between two events of a webhook, and the same while its endpoint fails: its
// deliveries are retried for more than a day, so it must not have many.
const intervalMs = 1_000;
const failingIntervalMs = 60_000;
// Express, among others, accepts bodies of up to 100 KB by default. The rest is for the envelope.
const maxVisitBytes = 100 * 1024 - 1024;
// The number of events that one call writes. Each takes up to 4 ms, and the next call is half a second
// later, so other writes get at least four fifths of the time.
const eventsPerCall = 25;
// The number of rows that one transaction deletes.
const rowsPerDelete = 100;

/**
 * Adds clicks to the queue of a webhook. If more than `maxWaiting` visits wait then, the oldest are
 * deleted and counted as omitted.
 */
export async function addToQueue(
  transaction: WriteTransaction,
  batchId: number,
  { webhookId, lines }: NewClicks,
  maxWaiting: number,
): Promise<void> {
  const { waiting } = await transaction
    .insertInto('click_queues')
    .values({ webhook_id: webhookId, waiting: lines.length, omitted: 0, next_at: 0 })
    .onConflict((conflict) =>
      conflict.column('webhook_id').doUpdateSet(({ eb }) => ({
        waiting: eb('click_queues.waiting', '+', lines.length),
      })),
    )
    .returning('waiting')
    .executeTakeFirstOrThrow();
  await transaction
    .insertInto('queued_clicks')
    .values({
      webhook_id: webhookId,
      batch_id: batchId,
      visit_count: lines.length,
      visits: lines.join('\n'),
    })
    .execute();
  if (waiting > maxWaiting) await omitOldest(transaction, webhookId, waiting - maxWaiting);
}

/** Deletes at least this many of the oldest visits, but not the newest row. */
async function omitOldest(
  transaction: WriteTransaction,
  webhookId: string,
  atLeast: number,
): Promise<void> {
  const { rows, visits } = await findOldest(transaction, webhookId, atLeast);
  const last = rows.at(-1);
  if (!last) return;
  await transaction
    .deleteFrom('queued_clicks')
    .where('webhook_id', '=', webhookId)
    .where('batch_id', '<=', last.batch_id)
    .execute();
  await transaction
    .updateTable('click_queues')
    .set(({ eb }) => ({
      waiting: eb('waiting', '-', visits),
      omitted: eb('omitted', '+', visits),
    }))
    .where('webhook_id', '=', webhookId)
    .execute();
}

/** Returns the oldest rows that together have at least this many visits, and their number of visits. */
async function findOldest(transaction: WriteTransaction, webhookId: string, atLeast: number) {
  const found = await transaction
    .selectFrom('queued_clicks')
    .select(['batch_id', 'visit_count'])
    .where('webhook_id', '=', webhookId)
    .orderBy('batch_id')
    // Each row has a visit.
    .limit(atLeast)
    .execute();
  let visits = 0;
  const rows = [];
  for (const row of found) {
    if (visits >= atLeast) break;
    visits += row.visit_count;
    rows.push(row);
  }
  return { rows, visits };
}

/**
 * Writes events of the clicks that wait in queues: for each webhook at most one event a second, with up
 * to 500 visits. The next event is written after the first attempt to deliver the one before, so a slow
 * endpoint gets fewer and larger ones.
 */
export class ClickBatcher {
  readonly #options: ClickBatcherOptions;

  constructor(options: ClickBatcherOptions) {
    this.#options = options;
  }

  /** Writes the events that are due, and deletes the queues that no webhook wants. */
  async write(): Promise<void> {
    const now = this.#options.clock();
    const queues = await this.findQueues();
    for (const queue of queues.filter((each) => !isWanted(each, now))) await this.#delete(queue);
    const due = queues.filter((each) => isWanted(each, now) && isDue(each, now));
    for (const queue of due.slice(0, eventsPerCall)) await this.#writeEvent(queue, now);
  }

  /** Returns all queues. The one whose last event is the oldest comes first. */
  findQueues() {
    return this.#options.database.read
      .selectFrom('click_queues')
      .innerJoin('webhooks', 'webhooks.id', 'click_queues.webhook_id')
      .leftJoin('deliveries', 'deliveries.id', 'last_delivery_id')
      .select(['click_queues.webhook_id', 'waiting', 'next_at', 'organization_id', 'events'])
      .select(['is_active', 'deleted_at', 'disabled_at', 'failing_since'])
      .select(['deliveries.attempts', 'deliveries.status'])
      .orderBy('next_at')
      .execute();
  }

  async #writeEvent(queue: Queue, now: number): Promise<void> {
    const { database, outbox } = this.#options;
    const { webhook_id, next_at, organization_id, failing_since } = queue;
    await database.writeDirectly(async (transaction) => {
      const stored = await transaction
        .updateTable('click_queues')
        .set({ next_at: now + (failing_since === null ? intervalMs : failingIntervalMs) })
        .where('webhook_id', '=', webhook_id)
        .where('next_at', '=', next_at)
        .returning('omitted')
        .executeTakeFirst();
      // Another node has written the event.
      if (!stored) return;
      const visits = await takeVisits(transaction, webhook_id);
      if (visits.length === 0) return;
      const { omitted } = stored;
      const deliveryId = await outbox.recordFor(
        transaction,
        organization_id,
        urlClicked,
        now,
        { visits, omitted },
        webhook_id,
      );
      await transaction
        .updateTable('click_queues')
        .set(({ eb }) => ({
          waiting: eb('waiting', '-', visits.length),
          omitted: 0,
          last_delivery_id: deliveryId,
        }))
        .where('webhook_id', '=', webhook_id)
        .execute();
    }, 'deliveries');
  }

  async #delete({ webhook_id }: Queue): Promise<void> {
    for (let isEmpty = false; !isEmpty; ) {
      isEmpty = await this.#options.database.writeDirectly(async (transaction) => {
        const { rows } = await findOldest(transaction, webhook_id, rowsPerDelete);
        await transaction
          .deleteFrom('queued_clicks')
          .where('webhook_id', '=', webhook_id)
          .where('batch_id', '<=', rows.at(-1)?.batch_id ?? 0)
          .execute();
        if (rows.length === rowsPerDelete) return false;
        await transaction.deleteFrom('click_queues').where('webhook_id', '=', webhook_id).execute();
        return true;
      }, 'deliveries');
    }
  }
}

/** Returns whether the webhook of a queue can still get its clicks. A paused webhook gets them later. */
function isWanted({ deleted_at, disabled_at, events }: Queue, now: number): boolean {
  return (
    deleted_at === null &&
    (disabled_at === null || now < disabled_at + disabledRetentionMs) &&
    (JSON.parse(events) as string[]).includes(urlClicked.type)
  );
}

function isDue({ waiting, next_at, is_active, attempts, status }: Queue, now: number): boolean {
  const wasAttempted = attempts === null || attempts > 0 || status !== 'pending';
  return waiting > 0 && next_at <= now && is_active === 1 && wasAttempted;
}

/** Deletes the oldest visits of a queue, as many as one event can have, and returns them. */
async function takeVisits(
  transaction: WriteTransaction,
  webhookId: string,
): Promise<ClickedVisit[]> {
  const { rows: oldest } = await findOldest(transaction, webhookId, maxVisitsPerEvent);
  const last = oldest.at(-1);
  if (!last) return [];
  const upToLast = transaction
    .selectFrom('queued_clicks')
    .select(['batch_id', 'visits'])
    .where('webhook_id', '=', webhookId)
    .where('batch_id', '<=', last.batch_id)
    .orderBy('batch_id');
  const lines = (await upToLast.execute()).flatMap(({ batch_id, visits }) =>
    visits.split('\n').map((line) => ({ batch_id, line })),
  );
  const count = countFitting(lines.map(({ line }) => line));
  const rest = lines.slice(count);
  const next = rest[0];
  await transaction
    .deleteFrom('queued_clicks')
    .where('webhook_id', '=', webhookId)
    .where('batch_id', '<', next?.batch_id ?? last.batch_id + 1)
    .execute();
  if (next) {
    const left = rest.filter(({ batch_id }) => batch_id === next.batch_id);
    await transaction
      .updateTable('queued_clicks')
      .set({ visit_count: left.length, visits: left.map(({ line }) => line).join('\n') })
      .where('webhook_id', '=', webhookId)
      .where('batch_id', '=', next.batch_id)
      .execute();
  }
  return lines.slice(0, count).map(({ line }) => JSON.parse(line) as ClickedVisit);
}

/** Returns how many of the first lines one event can have. */
function countFitting(lines: readonly string[]): number {
  let bytes = 0;
  let count = 0;
  for (const line of lines) {
    // And a comma.
    bytes += Buffer.byteLength(line) + 1;
    if (count === maxVisitsPerEvent || bytes > maxVisitBytes) break;
    count += 1;
  }
  return count;
}
