import type { CompiledQuery, Insertable } from 'kysely';
import {
  hasWebhooks,
  type PlanName,
  type PlanTable,
  standardPlans,
} from '../organizations/plans.js';
import type { NewId } from '../ports.js';
import type { Database, WriteTransaction } from '../storage/database.js';
import { prepare } from '../storage/prepared.js';
import type { DeliveryTable, EventTable } from '../storage/schema.js';
import type { DataOfEvent, EventDefinition } from './define-event.js';
import type { EventType } from './event-types.js';

/** How long events are recorded, and deliveries retained, for a webhook that the server disabled. */
export const disabledRetentionMs = 30 * 24 * 60 * 60 * 1000;

interface Charging {
  /** True when the deliveries count in the organization's usage. */
  readonly isCharged: boolean;
}

interface WebhookRow {
  readonly id: string;
  readonly events: string;
  readonly is_active: number;
  readonly disabled_at: number | null;
  readonly plan: string;
}

export interface EventOutboxOptions {
  readonly newId: NewId;
  /** Called after deliveries were committed. Wakes the dispatcher. */
  readonly onDeliveries?: () => void;
  readonly plans?: PlanTable;
}

/**
 * A transactional outbox: writes events and their pending deliveries in the transaction of the change
 * that caused them. An event without a subscribed webhook is not written.
 */
export class EventOutbox {
  readonly #database: Database;
  readonly #newId: NewId;
  readonly #onDeliveries: () => void;
  readonly #plans: PlanTable;
  readonly #webhooksOf: (organizationId: string) => CompiledQuery<WebhookRow>;

  constructor(
    database: Database,
    { newId, onDeliveries = () => {}, plans = standardPlans }: EventOutboxOptions,
  ) {
    this.#database = database;
    this.#newId = newId;
    this.#onDeliveries = onDeliveries;
    this.#plans = plans;
    this.#webhooksOf = prepare(
      database.read
        .selectFrom('webhooks')
        .innerJoin('organizations', 'organizations.id', 'webhooks.organization_id')
        .select(['webhooks.id', 'events', 'is_active', 'disabled_at', 'plan'])
        .where('organization_id', '=', '')
        .where('deleted_at', 'is', null),
    );
  }

  /** Writes one event for each data that `describe` returns. Calls it only when a webhook subscribes. */
  async record<Event extends EventDefinition>(
    transaction: WriteTransaction,
    organizationId: string,
    { type }: Event,
    now: number,
    describe: () => readonly DataOfEvent<Event>[],
  ): Promise<void> {
    const { rows } = await transaction.executeQuery(this.#webhooksOf(organizationId));
    const subscribers = rows.filter(
      ({ events, is_active, disabled_at, plan }) =>
        (is_active === 1 || (disabled_at !== null && now < disabled_at + disabledRetentionMs)) &&
        hasWebhooks(this.#plans[plan as PlanName]) &&
        (JSON.parse(events) as string[]).includes(type),
    );
    if (subscribers.length === 0) return;
    const webhookIds = subscribers.map(({ id }) => id);
    const events = describe().map((data) => this.#event(organizationId, type, now, data));
    await this.#deliver(transaction, events, webhookIds, now, { isCharged: true });
  }

  /** Writes one event for webhooks, subscribed or not, free of charge. Returns its deliveries' ids. */
  async recordFor(
    transaction: WriteTransaction,
    organizationId: string,
    type: EventType,
    now: number,
    data: object,
    webhookIds: readonly string[],
  ): Promise<readonly string[]> {
    const event = this.#event(organizationId, type, now, data);
    return this.#deliver(transaction, [event], webhookIds, now, { isCharged: false });
  }

  /** Writes another delivery of a stored event, free of charge. Returns its id. */
  async deliverAgain(
    transaction: WriteTransaction,
    eventId: string,
    webhookId: string,
    now: number,
  ): Promise<string> {
    const [id = ''] = await this.#insertDeliveries(transaction, [eventId], [webhookId], now, {
      isCharged: false,
    });
    return id;
  }

  async #deliver(
    transaction: WriteTransaction,
    events: readonly EventTable[],
    webhookIds: readonly string[],
    now: number,
    charging: Charging,
  ): Promise<readonly string[]> {
    await this.#database.bulkInsert(transaction, 'events', events);
    const eventIds = events.map(({ id }) => id);
    return this.#insertDeliveries(transaction, eventIds, webhookIds, now, charging);
  }

  async #insertDeliveries(
    transaction: WriteTransaction,
    eventIds: readonly string[],
    webhookIds: readonly string[],
    now: number,
    charging: Charging,
  ): Promise<readonly string[]> {
    const deliveries = eventIds.flatMap((eventId) =>
      webhookIds.map((webhookId) => this.#delivery(eventId, webhookId, now, charging)),
    );
    await this.#database.bulkInsert(transaction, 'deliveries', deliveries);
    this.#database.afterCommit(transaction, this.#onDeliveries);
    return deliveries.map(({ id }) => id);
  }

  #event(organizationId: string, type: EventType, now: number, data: unknown): EventTable {
    const id = this.#newId();
    const createdAt = new Date(now).toISOString();
    return {
      id,
      organization_id: organizationId,
      type,
      body: JSON.stringify({ id, type, createdAt, data }),
      created_at: now,
    };
  }

  #delivery(
    eventId: string,
    webhookId: string,
    now: number,
    { isCharged }: Charging,
  ): Insertable<DeliveryTable> {
    return {
      id: this.#newId(),
      webhook_id: webhookId,
      event_id: eventId,
      status: 'pending',
      attempts: 0,
      next_attempt_at: now,
      due_at: now,
      last_status_code: null,
      last_error: null,
      created_at: now,
      delivered_at: null,
      is_charged: isCharged ? 1 : 0,
    };
  }
}
