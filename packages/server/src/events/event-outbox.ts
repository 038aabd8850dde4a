import { sql } from 'kysely';
import { hasWebhooks, type PlanTable, planOf, standardPlans } from '../organizations/plans.js';
import type { NewId } from '../ports.js';
import type { Database, WriteTransaction } from '../storage/database.js';
import { afterCommit, handleAtCommit } from '../storage/group-commit.js';
import { prepare } from '../storage/prepared.js';
import type { Schema } from '../storage/schema.js';
import { bulkInsert, isPostgres } from '../storage/statements.js';
import { TimeSlices } from '../yield-to-event-loop.js';
import type { DataOfEvent, EventDefinition } from './define-event.js';
import type { EventType } from './event-types.js';
import { type EventSubject, subscriptionOf, wantsEvent } from './subscription.js';

/** How long events are delivered later to a webhook that the server disabled. */
export const disabledRetentionMs = 30 * 24 * 60 * 60 * 1000;

type EventRow = Schema['events'];

/** The ids of an event and of its delivery. */
type NewDelivery = readonly [eventId: string, id: string];

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
    const served = new Set<string>();
    const slices = new TimeSlices();
    // All nodes lock in ascending order, and nothing afterwards, which prevents deadlock.
    for (const [organizationId, own] of [...byOwner].sort(([a], [b]) => (a < b ? -1 : 1))) {
      const { last, hasWebhook } = await takeNumbers(transaction, organizationId, own.length);
      const first = last - own.length + 1;
      const events = own.map(({ row }, at) => ({ ...row, sequence: first + at }));
      await bulkInsert(transaction, 'events', events);
      if (!hasWebhook) continue;
      const { rows } = await transaction.executeQuery(webhooksOf({ organizationId }));
      const webhooks = rows.map((row) => ({ ...row, ...subscriptionOf(row) }));
      for (const group of groupBy(own, ({ row }) => `${row.type} ${row.created_at}`).values()) {
        const { type, created_at: now } = (group[0] as RecordedEvent).row;
        for (const webhook of webhooks) {
          if (slices.isOver) await slices.next();
          if (!recordsEvents(webhook, plans, now)) continue;
          const wanted = group.filter(
            ({ row, onlyId = webhook.id, exceptId }) =>
              onlyId === webhook.id && exceptId !== webhook.id && wantsEvent(webhook, row),
          );
          if (wanted.length === 0) continue;
          const deliveries = wanted.map(({ row }): NewDelivery => [row.id, newId()]);
          const fields = { webhookId: webhook.id, type, now, isCharged: 1 };
          await insertDeliveries(transaction, fields, deliveries);
          served.add(webhook.id);
        }
      }
    }
    if (served.size > 0) afterCommit(transaction, () => onEvents([...served]));
  };

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
  async function deliverAgain(
    transaction: WriteTransaction,
    events: readonly { readonly event_id: string; readonly event_type: string }[],
    webhookId: string,
    now: number,
  ): Promise<readonly string[]> {
    const all = events.map((event) => ({ ...event, id: newId() }));
    for (const [type, own] of groupBy(all, ({ event_type }) => event_type)) {
      const deliveries = own.map(({ event_id, id }): NewDelivery => [event_id, id]);
      await insertDeliveries(transaction, { webhookId, type, now, isCharged: 0 }, deliveries);
    }
    if (all.length > 0) afterCommit(transaction, () => onEvents([webhookId]));
    return all.map(({ id }) => id);
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

/** Writes deliveries of events of one type to a webhook. By one statement, because there can be thousands. */
async function insertDeliveries(
  transaction: WriteTransaction,
  fields: { webhookId: string; type: string; now: number; isCharged: number },
  deliveries: readonly NewDelivery[],
): Promise<void> {
  const idOf = JSON.stringify(Object.fromEntries(deliveries));
  const jsonEach = sql.raw(isPostgres(transaction) ? 'json_each_text' : 'json_each');
  const { webhookId, type, isCharged } = fields;
  const at = sql`cast(${fields.now} as bigint)`;
  await sql`
    insert into deliveries
      (id, event_id, webhook_id, event_type, status, attempts, created_at, due_at, is_charged)
    select value, key, ${webhookId}, ${type}, 'pending', 0, ${at}, ${at}, ${sql.lit(isCharged)}
    from ${jsonEach}(${idOf})`.execute(transaction);
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
