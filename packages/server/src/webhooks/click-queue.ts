import { sql } from 'kysely';
import { type ErasedLink, withoutErased } from '../analytics/ingest/erasure-marks.js';
import { findOldest, type QueuedVisit as StoredVisit } from '../analytics/ingest/queue-clicks.js';
import type { EventOutbox } from '../events/event-outbox.js';
import { disabledRetentionMs } from '../events/event-outbox.js';
import type { Clock } from '../ports.js';
import type { Database, WriteTransaction } from '../storage/database.js';
import { type LinkOrigins, shortUrlOf } from '../urls/link-origins.js';
import type { ClickedVisit, urlClicked } from './click-events.js';
import { maxVisitsPerEvent } from './webhook-limits.js';

export interface ClickBatcherOptions {
  readonly database: Database;
  readonly outbox: Pick<EventOutbox, 'recordFor'>;
  readonly clock: Clock;
  readonly origins: LinkOrigins;
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
// The number of rows in which one transaction searches for erased visits. Each has up to 2,500.
const rowsPerErasure = 4;

/**
 * Writes events of the clicks that wait in queues: for each webhook at most one event a second, with up
 * to 500 visits. The next event is written after the first attempt to deliver the one before, so a slow
 * endpoint gets fewer and larger ones.
 */
export class ClickBatcher {
  readonly #options: ClickBatcherOptions;
  /** The latest erasure of visits that was applied to the queues. */
  #erasedUntil = 0;

  constructor(options: ClickBatcherOptions) {
    this.#options = options;
  }

  /** Writes the events that are due, and deletes the queues that no webhook wants. */
  async write(): Promise<void> {
    const now = this.#options.clock();
    const queues = await this.findQueues();
    for (const queue of queues.filter((each) => !isWanted(each, now))) await this.#delete(queue);
    await this.#removeErased(queues);
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
    const { database, outbox, origins } = this.#options;
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
      const { taken, visits } = await takeVisits(transaction, webhook_id, origins);
      if (taken === 0) return;
      const queue = transaction
        .updateTable('click_queues')
        .set(({ eb }) => ({ waiting: eb('waiting', '-', taken) }))
        .where('webhook_id', '=', webhook_id);
      // All of them were erased.
      if (visits.length === 0) return queue.execute();
      const { omitted } = stored;
      const deliveryId = outbox.recordFor<typeof urlClicked>(
        transaction,
        organization_id,
        { type: 'url.clicked' },
        now,
        { visits, omitted },
        webhook_id,
      );
      await queue.set({ omitted: 0, last_delivery_id: deliveryId }).execute();
    }, 'rows');
  }

  /**
   * Deletes the waiting visits that were erased since the last call. The queue of a paused webhook would
   * retain them.
   */
  async #removeErased(queues: readonly Queue[]): Promise<void> {
    const filled = queues.filter(({ waiting }) => waiting > 0);
    if (filled.length === 0) return;
    const { read } = this.#options.database;
    // `erased_until > 0` is the condition of the index.
    const { rows: erasures } = await sql<{ organizationId: string; until: number }>`
      select organization_id as "organizationId", erased_until as until
      from url_clicks join urls on urls.id = url_clicks.url_id
      where erased_until > 0 and erased_until > ${this.#erasedUntil}`.execute(read);
    if (erasures.length === 0) return;
    const organizations = new Set(erasures.map(({ organizationId }) => organizationId));
    for (const { webhook_id, organization_id } of filled) {
      if (organizations.has(organization_id))
        await removeWaiting(this.#options.database, webhook_id, withoutErased);
    }
    this.#erasedUntil = erasures.reduce((last, { until }) => Math.max(last, until), 0);
  }

  async #delete({ webhook_id }: Queue): Promise<void> {
    for (let isEmpty = false; !isEmpty; ) {
      isEmpty = await this.#options.database.writeDirectly(async (transaction) => {
        const { rows } = await findOldest(transaction, webhook_id, rowsPerDelete);
        await transaction
          .deleteFrom('queued_clicks')
          .where('webhook_id', '=', webhook_id)
          .where('id', '<=', rows.at(-1)?.id ?? 0)
          .execute();
        if (rows.length === rowsPerDelete) return false;
        await transaction.deleteFrom('click_queues').where('webhook_id', '=', webhook_id).execute();
        return true;
      }, 'rows');
    }
  }
}

type QueuedVisit = ReturnType<typeof toQueued>;

/** Deletes the visits of a link that wait for webhooks of its organization. */
export async function removeQueuedClicks(
  database: Database,
  { urlId, organizationId }: ErasedLink,
): Promise<void> {
  const queues = await database.read
    .selectFrom('webhooks')
    .innerJoin('click_queues', 'click_queues.webhook_id', 'webhooks.id')
    .select('webhook_id')
    .where('organization_id', '=', organizationId)
    .execute();
  for (const { webhook_id } of queues) {
    await removeWaiting(database, webhook_id, async (_, visits) =>
      visits.filter((visit) => visit.urlId !== urlId),
    );
  }
}

/** Deletes the visits in a queue that `select` does not return. */
async function removeWaiting(
  database: Database,
  webhookId: string,
  select: (
    transaction: WriteTransaction,
    visits: readonly QueuedVisit[],
  ) => Promise<readonly QueuedVisit[]>,
): Promise<void> {
  for (let last: number | undefined = 0; last !== undefined; ) {
    const after: number = last;
    last = await database.writeDirectly(async (transaction) => {
      const rows = await transaction
        .selectFrom('queued_clicks')
        .select(['id', 'visits'])
        .where('webhook_id', '=', webhookId)
        .where('id', '>', after)
        .orderBy('id')
        .limit(rowsPerErasure)
        .execute();
      let removed = 0;
      for (const { id, visits } of rows) {
        const lines = visits.split('\n').map(toQueued);
        const rest = await select(transaction, lines);
        if (rest.length === lines.length) continue;
        removed += lines.length - rest.length;
        const texts = rest.map(({ line }) => line);
        await replaceRow(transaction, webhookId, id, texts);
      }
      if (removed > 0) {
        await transaction
          .updateTable('click_queues')
          .set(({ eb }) => ({ waiting: eb('waiting', '-', removed) }))
          .where('webhook_id', '=', webhookId)
          .execute();
      }
      return rows.length < rowsPerErasure ? undefined : rows.at(-1)?.id;
    }, 'rows');
  }
}

/** Returns whether the webhook of a queue can still get its clicks. A paused webhook gets them later. */
function isWanted({ deleted_at, disabled_at, events }: Queue, now: number): boolean {
  return (
    deleted_at === null &&
    (disabled_at === null || now < disabled_at + disabledRetentionMs) &&
    (JSON.parse(events) as string[]).includes('url.clicked')
  );
}

function isDue({ waiting, next_at, is_active, attempts, status }: Queue, now: number): boolean {
  const wasAttempted = attempts === null || attempts > 0 || status !== 'pending';
  return waiting > 0 && next_at <= now && is_active === 1 && wasAttempted;
}

/**
 * Deletes the oldest visits of a queue, as many as one event can have. Returns their number, and those that
 * were not erased since.
 */
async function takeVisits(
  transaction: WriteTransaction,
  webhookId: string,
  origins: LinkOrigins,
): Promise<{ readonly taken: number; readonly visits: ClickedVisit[] }> {
  const { rows: oldest } = await findOldest(transaction, webhookId, maxVisitsPerEvent);
  const last = oldest.at(-1);
  if (!last) return { taken: 0, visits: [] };
  const upToLast = transaction
    .selectFrom('queued_clicks')
    .select(['id', 'visits'])
    .where('webhook_id', '=', webhookId)
    .where('id', '<=', last.id)
    .orderBy('id');
  const lines = (await upToLast.execute()).flatMap(({ id, visits }) =>
    visits.split('\n').map((line) => ({ id, line })),
  );
  const clicked = (line: string) => toClickedVisit(toQueued(line).visit, origins);
  const count = countFitting(lines.map(({ line }) => JSON.stringify(clicked(line))));
  const rest = lines.slice(count);
  const next = rest[0];
  await transaction
    .deleteFrom('queued_clicks')
    .where('webhook_id', '=', webhookId)
    .where('id', '<', next?.id ?? last.id + 1)
    .execute();
  if (next) {
    const left = rest.filter(({ id }) => id === next.id);
    await replaceRow(
      transaction,
      webhookId,
      next.id,
      left.map(({ line }) => line),
    );
  }
  const taken = lines.slice(0, count).map(({ line }) => toQueued(line));
  const visits = (await withoutErased(transaction, taken)).map(({ visit }) =>
    toClickedVisit(visit, origins),
  );
  return { taken: count, visits };
}

function toClickedVisit({ hostname, ...visit }: StoredVisit, origins: LinkOrigins): ClickedVisit {
  return { ...visit, shortUrl: shortUrlOf(origins, { ...visit, hostname }) };
}

function toQueued(line: string) {
  const visit = JSON.parse(line) as StoredVisit;
  return { line, visit, urlId: Number(visit.urlId), visitedAt: Date.parse(visit.visitedAt) };
}

/** Replaces the visits of a row, and deletes the row without a visit. */
async function replaceRow(
  transaction: WriteTransaction,
  webhookId: string,
  rowId: number,
  lines: readonly string[],
): Promise<void> {
  if (lines.length === 0) {
    await transaction
      .deleteFrom('queued_clicks')
      .where('webhook_id', '=', webhookId)
      .where('id', '=', rowId)
      .execute();
    return;
  }
  await transaction
    .updateTable('queued_clicks')
    .set({ visit_count: lines.length, visits: lines.join('\n') })
    .where('webhook_id', '=', webhookId)
    .where('id', '=', rowId)
    .execute();
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
