import type { Selectable } from 'kysely';
import {
  hasWebhooks,
  type PlanName,
  type PlanTable,
  standardPlans,
} from '../organizations/plans.js';
import type { NewId } from '../ports.js';
import type { Database, WriteTransaction } from '../storage/database.js';
import { afterCommit } from '../storage/group-commit.js';
import { prepare } from '../storage/prepared.js';
import type { Schema } from '../storage/schema.js';
import { TimeSlices } from '../yield-to-event-loop.js';
import type { DataOfEvent, EventDefinition } from './define-event.js';
import type { EventType } from './event-types.js';
import {
  type EventSubject,
  passesFilters,
  type Subscription,
  subscriptionOf,
  wantsType,
} from './subscription.js';

/** How long events are recorded, and deliveries retained, for a webhook that the server disabled. */
export const disabledRetentionMs = 30 * 24 * 60 * 60 * 1000;

// The maximum number of deliveries that the transaction of a change writes. They take about 5 ms, in
// which other changes wait. A fan-out transaction writes about as many.
const maxDeliveries = 256;

type WebhookRow = Selectable<Schema['webhooks']>;

/** The columns of a delivery that all deliveries of its event share. */
export type DeliveredEvent = Pick<
  Selectable<Schema['deliveries']>,
  'event_id' | 'event_type' | 'url_id'
>;

type NewDelivery = DeliveredEvent &
  Pick<Selectable<Schema['deliveries']>, 'webhook_id' | 'created_at' | 'is_charged'>;
/** Returns whether events are recorded for a webhook: it is active, or the server disabled it recently. */
export function recordsEvents(
  {
    is_active,
    disabled_at,
    plan,
  }: Pick<WebhookRow, 'is_active' | 'disabled_at'> & { plan: string },
  plans: PlanTable,
  now: number,
): boolean {
  return (
    (is_active === 1 || (disabled_at !== null && now < disabled_at + disabledRetentionMs)) &&
    hasWebhooks(plans[plan as PlanName])
  );
}

/** An event to record, and the link or domain that it is about. */
export interface NewEvent<Event extends EventDefinition> {
  readonly data: DataOfEvent<Event>;
  readonly subject: EventSubject;
}

/** An event, and the webhooks that get it. */
interface EventFor {
  readonly row: Schema['events'];
  readonly webhookIds: readonly string[];
}

export interface EventOutboxOptions {
  readonly newId: NewId;
  /**
   * Called after events were committed, to wake the dispatcher: with the webhooks that have new
   * deliveries, or without an argument when the dispatcher must write the deliveries.
   */
  readonly onEvents?: (webhookIds?: readonly string[]) => void;
  readonly plans?: PlanTable;
}

/**
 * A transactional outbox: writes events and their pending deliveries in the transaction of the change
 * that caused them. If the deliveries are too many, the last events list their webhooks instead, and
 * the dispatcher calls `fanOut` later. An event without a subscribed webhook is not written.
 */
export class EventOutbox {
  readonly #database: Database;
  readonly #newId: NewId;
  readonly #onEvents: (webhookIds?: readonly string[]) => void;
  /** Called after events without deliveries were committed. */
  readonly #onEventsToFanOut = () => this.#onEvents();
  readonly #plans: PlanTable;
  readonly #webhooksOf;
  /** The number of deliveries that each open transaction has written. */
  readonly #written = new WeakMap<WriteTransaction, number>();
  /** The webhooks that have new deliveries in each open transaction. */
  readonly #webhookIds = new WeakMap<WriteTransaction, Set<string>>();
  /** The organizations of each transaction that have no webhooks. */
  readonly #withoutWebhooks = new WeakMap<WriteTransaction, ReadonlySet<string>>();
  #lastOrganizationId = '';

  constructor(
    database: Database,
    { newId, onEvents = () => {}, plans = standardPlans }: EventOutboxOptions,
  ) {
    this.#database = database;
    this.#newId = newId;
    this.#onEvents = onEvents;
    this.#plans = plans;
    this.#webhooksOf = prepare((owner: { organizationId: string }) =>
      database.read
        .selectFrom('webhooks')
        .innerJoin('organizations', 'organizations.id', 'webhooks.organization_id')
        .select(['webhooks.id', 'events', 'filters', 'is_active', 'disabled_at', 'plan'])
        .where('organization_id', '=', owner.organizationId)
        .where('deleted_at', 'is', null),
    );
  }

  /**
   * Finds the organizations without webhooks by one statement, so that `record` does not read their
   * webhooks. For organizations whose webhooks do not change any more in this transaction.
   */
  async skipWithoutWebhooks(
    transaction: WriteTransaction,
    organizationIds: readonly string[],
  ): Promise<void> {
    const rows = await transaction
      .selectFrom('webhooks')
      .select('organization_id')
      .distinct()
      .where('organization_id', 'in', organizationIds)
      .where('deleted_at', 'is', null)
      .execute();
    const owners = new Set(rows.map((row) => row.organization_id));
    this.#withoutWebhooks.set(
      transaction,
      new Set(organizationIds.filter((id) => !owners.has(id))),
    );
  }

  /**
   * Writes an event for each item that `describe` returns, if a webhook other than `exceptId` subscribes
   * to the type. Returns whether one subscribes.
   */
  async record<Event extends EventDefinition>(
    transaction: WriteTransaction,
    organizationId: string,
    { type }: Event | Pick<Event, 'type'>,
    now: number,
    describe: () => readonly NewEvent<Event>[] | Promise<readonly NewEvent<Event>[]>,
    { exceptId }: { readonly exceptId?: string } = {},
  ): Promise<boolean> {
    if (this.#withoutWebhooks.get(transaction)?.has(organizationId)) return false;
    const { rows } = await transaction.executeQuery(this.#webhooksOf({ organizationId }));
    const webhooks = rows
      .filter((webhook) => webhook.id !== exceptId && recordsEvents(webhook, this.#plans, now))
      .map((row) => ({ id: row.id, ...subscriptionOf(row) }))
      .filter((webhook) => wantsType(webhook, type));
    if (webhooks.length === 0) return false;
    let written = this.#written.get(transaction) ?? 0;
    const toDeliver: EventFor[] = [];
    const toFanOut: EventFor[] = [];
    const slices = new TimeSlices();
    for (const { data, subject } of await describe()) {
      if (slices.isOver) await slices.next();
      const wanted = webhooks.filter((webhook) => passesFilters(webhook, type, subject));
      if (wanted.length === 0) continue;
      const row = { ...this.#event(organizationId, now, { type, data }), ...columnsOf(subject) };
      const isTooMany = toFanOut.length > 0 || written + wanted.length > maxDeliveries;
      (isTooMany ? toFanOut : toDeliver).push({ row, webhookIds: wanted.map(({ id }) => id) });
      if (!isTooMany) written += wanted.length;
    }
    if (toDeliver.length + toFanOut.length === 0) return true;
    await this.#insertEvents(transaction, [
      ...toDeliver.map(({ row }) => ({ ...row, webhook_ids: null })),
      ...toFanOut.map(({ row, webhookIds }) => ({
        ...row,
        webhook_ids: JSON.stringify(webhookIds),
      })),
    ]);
    if (toFanOut.length > 0) afterCommit(transaction, this.#onEventsToFanOut);
    this.#written.set(transaction, written);
    await this.#insertDeliveries(
      transaction,
      toDeliver.flatMap(({ row, webhookIds }) =>
        webhookIds.map((webhook_id) => ({
          ...deliveredEventOf(row),
          webhook_id,
          created_at: now,
          is_charged: 1,
        })),
      ),
    );
    return true;
  }

  /** Writes an event for one webhook that subscribes to its type. Returns the delivery's id. */
  async recordFor<Event extends EventDefinition>(
    transaction: WriteTransaction,
    organizationId: string,
    { type }: Event | Pick<Event, 'type'>,
    now: number,
    data: DataOfEvent<Event>,
    webhookId: string,
  ): Promise<string> {
    const event = this.#event(organizationId, now, { type, data });
    await this.#insertEvents(transaction, [event]);
    const [id = ''] = await this.#insertDeliveries(transaction, [
      { ...deliveredEventOf(event), webhook_id: webhookId, created_at: now, is_charged: 1 },
    ]);
    return id;
  }

  /** Writes a test event for one webhook, subscribed or not, free of charge. Returns the delivery's id. */
  async recordTest(
    transaction: WriteTransaction,
    organizationId: string,
    type: EventType,
    now: number,
    data: object,
    webhookId: string,
  ): Promise<string> {
    const event = this.#event(organizationId, now, { type, test: true, data });
    await this.#insertEvents(transaction, [event]);
    const events = [deliveredEventOf(event)];
    const [id = ''] = await this.deliverAgain(transaction, events, webhookId, now);
    return id;
  }

  /** Writes another delivery of each of these stored events, free of charge. Returns their ids. */
  async deliverAgain(
    transaction: WriteTransaction,
    events: readonly DeliveredEvent[],
    webhookId: string,
    now: number,
  ): Promise<readonly string[]> {
    return this.#insertDeliveries(
      transaction,
      events.map(({ event_id, event_type, url_id }) => ({
        event_id,
        event_type,
        url_id,
        webhook_id: webhookId,
        created_at: now,
        is_charged: 0,
      })),
    );
  }

  /**
   * Writes deliveries of events that list their webhooks, and clears the lists in the same transaction.
   * Organizations take turns. Returns false if there are no such events.
   */
  async fanOut(): Promise<boolean> {
    const organizationId =
      (await this.#findOrganization(this.#lastOrganizationId)) ??
      (await this.#findOrganization(''));
    if (organizationId === undefined) return false;
    this.#lastOrganizationId = organizationId;
    await this.#database.writeDirectly((transaction) => this.#fanOut(transaction, organizationId), {
      organizationId,
    });
    return true;
  }

  /** Returns the next organization after this one that has events without deliveries. */
  async #findOrganization(after: string): Promise<string | undefined> {
    const row = await this.#database.read
      .selectFrom('events')
      .select('organization_id')
      .where('webhook_ids', 'is not', null)
      .where('organization_id', '>', after)
      .orderBy('organization_id')
      .limit(1)
      .executeTakeFirst();
    return row?.organization_id;
  }

  async #fanOut(transaction: WriteTransaction, organizationId: string): Promise<void> {
    const events = await transaction
      .selectFrom('events')
      .select(['id', 'type', 'url_id', 'domain_id', 'tags', 'webhook_ids', 'created_at'])
      .where('organization_id', '=', organizationId)
      .where('webhook_ids', 'is not', null)
      .orderBy('id')
      .limit(maxDeliveries)
      .execute();
    const { rows } = await transaction.executeQuery(this.#webhooksOf({ organizationId }));
    // A webhook may have been deleted since, or no longer want the event.
    const webhooks = new Map(rows.map((row) => [row.id, subscriptionOf(row)]));
    const deliveries: NewDelivery[] = [];
    const fannedOut: string[] = [];
    const unwanted: string[] = [];
    for (const { webhook_ids, created_at, ...event } of events) {
      if (deliveries.length >= maxDeliveries) break;
      const webhookIds = (JSON.parse(webhook_ids ?? '[]') as string[]).filter((webhookId) => {
        const webhook = webhooks.get(webhookId);
        return webhook !== undefined && wantsEvent(webhook, event);
      });
      const delivered = deliveredEventOf(event);
      for (const webhook_id of webhookIds) {
        deliveries.push({ ...delivered, webhook_id, created_at, is_charged: 1 });
      }
      (webhookIds.length > 0 ? fannedOut : unwanted).push(event.id);
    }
    await this.#insertDeliveries(transaction, deliveries);
    await this.#database.updateEach(
      transaction,
      'events',
      fannedOut.map((id) => ({ set: { webhook_ids: null }, where: { id } })),
    );
    if (unwanted.length > 0) {
      await transaction.deleteFrom('events').where('id', 'in', unwanted).execute();
    }
  }

  async #insertEvents(
    transaction: WriteTransaction,
    events: readonly Schema['events'][],
  ): Promise<void> {
    await this.#database.bulkInsert(transaction, 'events', events);
  }

  async #insertDeliveries(
    transaction: WriteTransaction,
    deliveries: readonly NewDelivery[],
  ): Promise<readonly string[]> {
    const rows = deliveries.map((delivery) => ({
      id: this.#newId(),
      ...delivery,
      status: 'pending',
      attempts: 0,
      next_attempt_at: delivery.created_at,
      due_at: delivery.created_at,
    }));
    await this.#database.bulkInsert(transaction, 'deliveries', rows);
    const known = this.#webhookIds.get(transaction);
    const webhookIds = known ?? new Set<string>();
    for (const { webhook_id } of rows) webhookIds.add(webhook_id);
    if (!known && webhookIds.size > 0) {
      this.#webhookIds.set(transaction, webhookIds);
      afterCommit(transaction, () => this.#onEvents([...webhookIds]));
    }
    return rows.map(({ id }) => id);
  }

  #event(
    organizationId: string,
    now: number,
    { type, ...content }: { type: EventType; test?: true; data: unknown },
  ): Schema['events'] {
    const id = this.#newId();
    const createdAt = new Date(now).toISOString();
    return {
      id,
      organization_id: organizationId,
      type,
      body: JSON.stringify({ id, type, createdAt, ...content }),
      created_at: now,
      webhook_ids: null,
      ...columnsOf({}),
    };
  }
}

function deliveredEventOf({
  id,
  type,
  url_id,
}: Pick<Schema['events'], 'id' | 'type' | 'url_id'>): DeliveredEvent {
  return { event_id: id, event_type: type, url_id };
}

/** The columns of an event that subscriptions compare. */
type EventColumns = Pick<Schema['events'], 'type' | 'url_id' | 'domain_id' | 'tags'>;

/** Returns whether a webhook subscribes to a stored event. */
export function wantsEvent(webhook: Subscription, event: EventColumns): boolean {
  const type = event.type as EventType;
  const { url_id, domain_id: domainId, tags } = event;
  const subject = { urlId: url_id ?? undefined, domainId, tags: tags ?? '' };
  return wantsType(webhook, type) && passesFilters(webhook, type, subject);
}

function columnsOf({ urlId, domainId, tags }: EventSubject) {
  return {
    url_id: urlId ?? null,
    domain_id: domainId ?? null,
    tags: tags ?? null,
  };
}
