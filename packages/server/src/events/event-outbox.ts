import { type Insertable, sql } from 'kysely';
import { hasWebhooks, type PlanTable, planOf, standardPlans } from '../organizations/plans.js';
import type { NewId } from '../ports.js';
import type { Database, WriteTransaction } from '../storage/database.js';
import { afterCommit, handleAtCommit } from '../storage/group-commit.js';
import { prepare } from '../storage/prepared.js';
import type { Schema } from '../storage/schema.js';
import { bulkInsert } from '../storage/statements.js';
import { TimeSlices } from '../yield-to-event-loop.js';
import type { DataOfEvent, EventDefinition } from './define-event.js';
import type { EventType } from './event-types.js';
import { type EventSubject, subscriptionOf, wantsEvent } from './subscription.js';

/** How long events are delivered later to a webhook that the server disabled. */
export const disabledRetentionMs = 30 * 24 * 60 * 60 * 1000;

type EventRow = Schema['events'];

type NewDelivery = Omit<Insertable<Schema['deliveries']>, 'id' | 'status' | 'attempts'>;

interface RecordedEvent extends Pick<NewEvent<EventDefinition>, 'onlyId' | 'exceptId'> {
  readonly row: EventRow;
}

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
  readonly onlyId?: string | undefined;
  /** The webhook that does not get it. */
  readonly exceptId?: string | undefined;
}

export interface EventOutboxOptions {
  readonly newId: NewId;
  /** Called after a commit with the webhooks that have new deliveries, to wake the dispatcher. */
  readonly onEvents?: (webhookIds: readonly string[]) => void;
  readonly plans?: PlanTable;
}

export type EventOutbox = ReturnType<typeof createEventOutbox>;

/**
 * A transactional outbox: the transaction of a change writes its events and their deliveries.
 *
 * The events of an organization are numbered without gaps in the order of their commits: a transaction
 * takes its numbers right before its commit, from a row that it then has locked until the commit. So an
 * event can be read only after every event before it.
 */
export function createEventOutbox(
  database: Database,
  { newId, onEvents = () => {}, plans = standardPlans }: EventOutboxOptions,
) {
  const { read } = database;
  const webhooksOf = prepare((owner: { organizationId: string }) =>
    read
      .selectFrom('webhooks')
      .innerJoin('organizations', 'organizations.id', 'webhooks.organization_id')
      .select(['webhooks.id', 'events', 'filters', 'is_active', 'disabled_at', 'plan'])
      .where('organization_id', '=', owner.organizationId)
      .where('deleted_at', 'is', null),
  );

  /** Numbers and writes the events of a transaction and their deliveries, right before its commit. */
  const write = async (
    transaction: WriteTransaction,
    recorded: readonly RecordedEvent[],
  ): Promise<void> => {
    const byOwner = groupBy(recorded, ({ row }) => row.organization_id);
    const slices = new TimeSlices();
    // All nodes lock in ascending order, and nothing afterwards, which prevents deadlock.
    for (const [organizationId, own] of [...byOwner].sort(([a], [b]) => (a < b ? -1 : 1))) {
      const { last, hasWebhook } = await takeNumbers(transaction, organizationId, own.length);
      const first = last - own.length + 1;
      const events = own.map(({ row }, at) => ({ ...row, sequence: first + at }));
      await bulkInsert(transaction, 'events', events);
      if (!hasWebhook) continue;
      const { rows } = await transaction.executeQuery(webhooksOf({ organizationId }));
      const deliveries: NewDelivery[] = [];
      for (const webhook of rows.map((row) => ({ ...row, ...subscriptionOf(row) }))) {
        if (slices.isOver) await slices.next();
        const wanted = own.filter(
          ({ row, onlyId = webhook.id, exceptId }) =>
            onlyId === webhook.id &&
            exceptId !== webhook.id &&
            recordsEvents(webhook, plans, row.created_at) &&
            wantsEvent(webhook, row),
        );
        for (const { row } of wanted) {
          const event = { event_id: row.id, event_type: row.type, created_at: row.created_at };
          deliveries.push({ ...event, webhook_id: webhook.id, is_charged: 1 });
        }
      }
      await deliver(transaction, deliveries);
    }
  };

  /** Writes deliveries, and wakes the dispatcher after the commit. Returns their ids. */
  async function deliver(transaction: WriteTransaction, deliveries: readonly NewDelivery[]) {
    const rows = deliveries.map((fields) => {
      const state = { status: 'pending', attempts: 0, due_at: fields.created_at };
      return { id: newId(), ...fields, ...state };
    });
    await bulkInsert(transaction, 'deliveries', rows);
    const webhookIds = [...new Set(rows.map(({ webhook_id }) => webhook_id))];
    if (rows.length > 0) afterCommit(transaction, () => onEvents(webhookIds));
    return rows.map(({ id }) => id);
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
      url_id: urlId ?? null,
      domain_id: domainId ?? null,
      tags: tags ?? null,
    };
  }

  /** Writes another delivery of each of these stored events, free of charge. Returns their ids. */
  function deliverAgain(
    transaction: WriteTransaction,
    events: readonly Pick<NewDelivery, 'event_id' | 'event_type'>[],
    webhookId: string,
    now: number,
  ): Promise<readonly string[]> {
    const deliveries = events.map(({ event_id, event_type }) => {
      const event = { event_id, event_type, created_at: now };
      return { ...event, webhook_id: webhookId, is_charged: 0 };
    });
    return deliver(transaction, deliveries);
  }

  return {
    /** Writes an event at the commit. */
    record<Event extends EventDefinition>(
      transaction: WriteTransaction,
      { type }: Event | Pick<Event, 'type'>,
      { organizationId, now, data, subject, onlyId, exceptId }: NewEvent<Event>,
    ): void {
      const row = newEvent(organizationId, now, { type, data }, subject);
      handleAtCommit(transaction, write, { row, onlyId, exceptId }, { isLast: true });
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
      const stored = { event_id: event.id, event_type: type };
      const [id = ''] = await deliverAgain(transaction, [stored], webhookId, now);
      return id;
    },

    deliverAgain,
  };
}

/** Takes the next numbers of an organization, and locks its counter. */
async function takeNumbers(
  transaction: WriteTransaction,
  organizationId: string,
  count: number,
): Promise<{ readonly last: number; readonly hasWebhook: number | boolean }> {
  const { rows } = await sql<{ last: number; hasWebhook: number | boolean }>`
    insert into event_counters (organization_id, last) values (${organizationId}, ${count})
    on conflict (organization_id) do update set last = event_counters.last + excluded.last
    returning last, exists (select 1 from webhooks
      where organization_id = ${organizationId} and deleted_at is null) as "hasWebhook"`.execute(
    transaction,
  );
  return rows[0] as (typeof rows)[number];
}

function groupBy<Item>(
  items: readonly Item[],
  keyOf: (item: Item) => string,
): ReadonlyMap<string, readonly Item[]> {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group) group.push(item);
    else groups.set(keyOf(item), [item]);
  }
  return groups;
}
