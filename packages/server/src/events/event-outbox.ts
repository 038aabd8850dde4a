import { type Selectable, sql } from 'kysely';
import { hasWebhooks, type PlanTable, planOf, standardPlans } from '../organizations/plans.js';
import type { NewId } from '../ports.js';
import type { Database, WriteTransaction } from '../storage/database.js';
import { afterCommit, handleAtCommit } from '../storage/group-commit.js';
import { prepare } from '../storage/prepared.js';
import type { Schema } from '../storage/schema.js';
import { bulkInsert } from '../storage/statements.js';
import type { DataOfEvent, EventDefinition } from './define-event.js';
import type { EventType } from './event-types.js';
import { type EventSubject, subscriptionOf, wantsEvent } from './subscription.js';

/** How long events are delivered later to a webhook that the server disabled. */
export const disabledRetentionMs = 30 * 24 * 60 * 60 * 1000;

// The number of deliveries after which a transaction begins no further event. They take about 5 ms, in
// which other changes wait.
const maxDeliveries = 256;
// The dispatcher finds due deliveries after each round of these.
const organizationsAtOnce = 20;

type EventRow = Schema['events'];
type NewDelivery = Pick<
  Selectable<Schema['deliveries']>,
  'id' | 'event_id' | 'event_type' | 'url_id' | 'webhook_id' | 'created_at' | 'is_charged'
>;
type Counter = Pick<Schema['event_counters'], 'last' | 'fanned_out'>;

/** Returns whether a webhook gets events: it is active, or the server disabled it recently. */
export function recordsEvents(
  { is_active, disabled_at, plan }: { is_active: number; disabled_at: number | null; plan: string },
  plans: PlanTable,
  now: number,
): boolean {
  return (
    (is_active === 1 || (disabled_at !== null && now < disabled_at + disabledRetentionMs)) &&
    hasWebhooks(planOf(plans, plan))
  );
}

/** An event to record, and the link or domain that it is about. */
export interface NewEvent<Event extends EventDefinition> {
  readonly organizationId: string;
  readonly now: number;
  readonly data: DataOfEvent<Event>;
  readonly subject?: EventSubject | undefined;
  /** The webhook that alone gets it. */
  readonly onlyId?: string;
  /** The webhook that does not get it. */
  readonly exceptId?: string;
}

export interface EventOutboxOptions {
  readonly newId: NewId;
  /**
   * Called after a commit, to wake the dispatcher: with the webhooks that have new deliveries, or
   * without an argument when it must call `fanOut`.
   */
  readonly onEvents?: (webhookIds?: readonly string[]) => void;
  readonly plans?: PlanTable;
}

export type EventOutbox = ReturnType<typeof createEventOutbox>;

/**
 * A transactional outbox: the transaction of a change writes its events, and at least the first of their
 * deliveries. The dispatcher writes the others by `fanOut`.
 *
 * The events of an organization are numbered without gaps in the order of their commits: a transaction
 * takes its numbers right before its commit, from a row that it then has locked until the commit. So an
 * event can be read only after every event before it. Deliveries exist for the events up to `fanned_out`.
 */
export function createEventOutbox(
  database: Database,
  { newId, onEvents = () => {}, plans = standardPlans }: EventOutboxOptions,
) {
  const { read } = database;
  const onEventsToFanOut = () => onEvents();
  const webhooksOf = prepare((owner: { organizationId: string }) =>
    read
      .selectFrom('webhooks')
      .innerJoin('organizations', 'organizations.id', 'webhooks.organization_id')
      .select(['webhooks.id', 'events', 'filters', 'is_active', 'disabled_at', 'plan'])
      .where('organization_id', '=', owner.organizationId)
      .where('deleted_at', 'is', null),
  );
  const eventsAfter = prepare((from: { organizationId: string; after: number }) =>
    read
      .selectFrom('events')
      .select(['id', 'type', 'url_id', 'domain_id', 'tags', 'created_at', 'sequence'])
      .select(['only_webhook_id', 'except_webhook_id'])
      .where('organization_id', '=', from.organizationId)
      .where('sequence', '>', from.after)
      .orderBy('sequence')
      .limit(sql.lit(maxDeliveries))
      .$narrowType<{ sequence: number }>(),
  );

  const fanOutOnce = (organizationId: string): Promise<boolean> =>
    database.writeDirectly(async (transaction) => {
      const counter = await transaction
        .selectFrom('event_counters')
        .select(['last', 'fanned_out'])
        .where('organization_id', '=', organizationId)
        .where(isBehind)
        .$if(database.engine === 'postgres', (query) => query.forUpdate())
        .executeTakeFirst();
      if (counter) await fanOut(transaction, organizationId, counter);
      return counter !== undefined;
    }, 'rows');

  /** Numbers and writes the events of a transaction, right before its commit. */
  const write = async (
    transaction: WriteTransaction,
    recorded: readonly EventRow[],
  ): Promise<void> => {
    const byOwner = new Map<string, EventRow[]>();
    for (const event of recorded) {
      const own = byOwner.get(event.organization_id);
      if (own) own.push(event);
      else byOwner.set(event.organization_id, [event]);
    }
    // All nodes lock in ascending order, and nothing afterwards, which prevents deadlock.
    for (const [organizationId, own] of [...byOwner].sort(([a], [b]) => (a < b ? -1 : 1))) {
      const counter = await takeNumbers(transaction, organizationId, own.length);
      const first = counter.last - own.length + 1;
      const events = own.map((event, at) => ({ ...event, sequence: first + at }));
      await bulkInsert(transaction, 'events', events);
      if (counter.fanned_out < counter.last) await fanOut(transaction, organizationId, counter);
    }
  };

  /** Writes the next deliveries. The transaction has locked the counter. */
  async function fanOut(
    transaction: WriteTransaction,
    organizationId: string,
    { last, fanned_out: after }: Counter,
  ): Promise<void> {
    const { rows } = await transaction.executeQuery(webhooksOf({ organizationId }));
    const webhooks = rows.map((row) => ({ ...row, ...subscriptionOf(row) }));
    const { rows: events } = await transaction.executeQuery(eventsAfter({ organizationId, after }));
    const deliveries: NewDelivery[] = [];
    let position = events.length === 0 ? last : after;
    for (const event of events) {
      if (deliveries.length >= maxDeliveries) break;
      position = event.sequence;
      const { only_webhook_id: onlyId, except_webhook_id: exceptId, created_at: at } = event;
      for (const webhook of webhooks) {
        if (webhook.id === exceptId || (onlyId !== null && webhook.id !== onlyId)) continue;
        if (!recordsEvents(webhook, plans, at) || !wantsEvent(webhook, event)) continue;
        deliveries.push(newDelivery(event, webhook.id, at, 1));
      }
    }
    await insertDeliveries(transaction, deliveries);
    await transaction
      .updateTable('event_counters')
      .set({ fanned_out: position })
      .where('organization_id', '=', organizationId)
      .execute();
    if (position < last) afterCommit(transaction, onEventsToFanOut);
  }

  const newDelivery = (
    { id: event_id, type: event_type, url_id }: Pick<EventRow, 'id' | 'type' | 'url_id'>,
    webhook_id: string,
    created_at: number,
    is_charged: 0 | 1,
  ) => ({ id: newId(), event_id, event_type, url_id, webhook_id, created_at, is_charged });

  async function insertDeliveries(
    transaction: WriteTransaction,
    deliveries: readonly NewDelivery[],
  ): Promise<void> {
    if (deliveries.length === 0) return;
    const rows = deliveries.map((delivery) => ({
      ...delivery,
      status: 'pending',
      attempts: 0,
      next_attempt_at: delivery.created_at,
      due_at: delivery.created_at,
    }));
    await bulkInsert(transaction, 'deliveries', rows);
    const webhookIds = [...new Set(rows.map(({ webhook_id }) => webhook_id))];
    afterCommit(transaction, () => onEvents(webhookIds));
  }

  function newEvent(
    organizationId: string,
    now: number,
    { type, ...content }: { type: EventType; test?: true; data: unknown },
    { urlId, domainId, tags }: EventSubject = {},
  ): EventRow {
    const id = newId();
    const createdAt = new Date(now).toISOString();
    return {
      id,
      organization_id: organizationId,
      sequence: null,
      type,
      body: JSON.stringify({ id, type, createdAt, ...content }),
      created_at: now,
      only_webhook_id: null,
      except_webhook_id: null,
      url_id: urlId ?? null,
      domain_id: domainId ?? null,
      tags: tags ?? null,
    };
  }

  return {
    /** Writes an event at the commit. */
    record<Event extends EventDefinition>(
      transaction: WriteTransaction,
      { type }: Event | Pick<Event, 'type'>,
      { organizationId, now, data, subject, onlyId, exceptId }: NewEvent<Event>,
    ): void {
      const event = newEvent(organizationId, now, { type, data }, subject);
      const webhooks = { only_webhook_id: onlyId ?? null, except_webhook_id: exceptId ?? null };
      handleAtCommit(transaction, write, { ...event, ...webhooks }, { isLast: true });
    },

    /**
     * Writes a test event for one webhook, subscribed or not, free of charge. Such events have no number and
     * are not listed. Returns the delivery's id.
     */
    async recordTest(
      transaction: WriteTransaction,
      type: EventType,
      webhookId: string,
      { organizationId, now, data }: NewEvent<EventDefinition>,
    ): Promise<string> {
      const event = newEvent(organizationId, now, { type, test: true, data });
      await bulkInsert(transaction, 'events', [event]);
      const delivery = newDelivery(event, webhookId, now, 0);
      await insertDeliveries(transaction, [delivery]);
      return delivery.id;
    },

    /** Writes another delivery of each of these stored events, free of charge. Returns their ids. */
    async deliverAgain(
      transaction: WriteTransaction,
      events: readonly Pick<NewDelivery, 'event_id' | 'event_type' | 'url_id'>[],
      webhookId: string,
      now: number,
    ): Promise<readonly string[]> {
      const deliveries = events.map(({ event_id: id, event_type: type, url_id }) =>
        newDelivery({ id, type, url_id }, webhookId, now, 0),
      );
      await insertDeliveries(transaction, deliveries);
      return deliveries.map(({ id }) => id);
    },

    /** Writes deliveries that the transactions of events left: some of each organization. Returns false without one. */
    async fanOut(): Promise<boolean> {
      const behind = await read
        .selectFrom('event_counters')
        .select('organization_id')
        .where(isBehind)
        // So none has to wait for those before it.
        .orderBy(sql`random()`)
        .limit(organizationsAtOnce)
        .execute();
      for (const { organization_id } of behind) await fanOutOnce(organization_id);
      return behind.length > 0;
    },

    /** Writes all deliveries of an organization's events, before a change of its webhooks. */
    async finishFanOut(organizationId: string): Promise<void> {
      while (await fanOutOnce(organizationId));
    },
  };
}

// As in the index.
const isBehind = sql<boolean>`fanned_out < last`;

/**
 * Takes the next numbers of an organization, and locks its counter. Without webhooks, its events are
 * fanned out.
 */
async function takeNumbers(
  transaction: WriteTransaction,
  organizationId: string,
  count: number,
): Promise<Counter> {
  const n = sql`cast(${count} as bigint)`;
  const hasWebhook = sql`exists (select 1 from webhooks
    where organization_id = ${organizationId} and deleted_at is null)`;
  const { rows } = await sql<Counter>`
    insert into event_counters (organization_id, last, fanned_out)
    values (${organizationId}, ${n}, case when ${hasWebhook} then 0 else ${n} end)
    on conflict (organization_id) do update set
      last = event_counters.last + excluded.last,
      fanned_out = case
        when ${hasWebhook} or event_counters.fanned_out < event_counters.last
          then event_counters.fanned_out
        else event_counters.last + excluded.last end
    returning last, fanned_out`.execute(transaction);
  return rows[0] as Counter;
}
