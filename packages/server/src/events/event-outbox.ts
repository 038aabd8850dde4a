import type { CompiledQuery } from 'kysely';
import type { NewId } from '../ports.js';
import type { Database, WriteTransaction } from '../storage/database.js';
import { prepare } from '../storage/prepared.js';
import type { DeliveryTable, EventTable } from '../storage/schema.js';
import type { EventData } from './event-contract.js';
import type { EventType } from './event-types.js';

export interface EventOutboxOptions {
  readonly newId: NewId;
  /** Called when deliveries have been committed, so that they leave at once. */
  readonly onDeliveries?: () => void;
}

/**
 * Writes events and one pending delivery for each webhook that subscribes to them, in the
 * transaction of the change that caused them. An event that nobody subscribes to is not written.
 */
export class EventOutbox {
  readonly #database: Database;
  readonly #newId: NewId;
  readonly #onDeliveries: () => void;
  readonly #webhooksOf: (
    organizationId: string,
  ) => CompiledQuery<{ id: string; events: string; is_active: number; deleted_at: number | null }>;

  constructor(database: Database, { newId, onDeliveries = () => {} }: EventOutboxOptions) {
    this.#database = database;
    this.#newId = newId;
    this.#onDeliveries = onDeliveries;
    this.#webhooksOf = prepare(
      database.read
        .selectFrom('webhooks')
        .select(['id', 'events', 'is_active', 'deleted_at'])
        .where('organization_id', '=', ''),
    );
  }

  /** `describe` is called only when somebody subscribes to the type; one event for each of its data. */
  async record<Type extends EventType>(
    transaction: WriteTransaction,
    organizationId: string,
    type: Type,
    now: number,
    describe: () => readonly EventData<Type>[],
  ): Promise<void> {
    const { rows } = await transaction.executeQuery(this.#webhooksOf(organizationId));
    const subscribers = rows.filter(
      ({ events, is_active, deleted_at }) =>
        is_active === 1 && deleted_at === null && (JSON.parse(events) as string[]).includes(type),
    );
    if (subscribers.length === 0) return;
    const webhookIds = subscribers.map(({ id }) => id);
    const events = describe().map((data) => this.#event(organizationId, type, now, data));
    await this.#deliver(transaction, events, webhookIds, now);
  }

  /** Writes one event for some webhooks, whether or not they subscribe; its deliveries' ids. */
  async recordFor<Type extends EventType>(
    transaction: WriteTransaction,
    organizationId: string,
    type: Type,
    now: number,
    data: EventData<Type>,
    webhookIds: readonly string[],
  ): Promise<readonly string[]> {
    const event = this.#event(organizationId, type, now, data);
    return this.#deliver(transaction, [event], webhookIds, now);
  }

  /** One more delivery of an event that is there; its id. */
  async deliverAgain(
    transaction: WriteTransaction,
    eventId: string,
    webhookId: string,
    now: number,
  ): Promise<string> {
    return this.#insertDeliveries(transaction, [eventId], [webhookId], now).then(
      ([id]) => id ?? '',
    );
  }

  async #deliver(
    transaction: WriteTransaction,
    events: readonly EventTable[],
    webhookIds: readonly string[],
    now: number,
  ): Promise<readonly string[]> {
    await this.#database.bulkInsert(transaction, 'events', events);
    const eventIds = events.map(({ id }) => id);
    return this.#insertDeliveries(transaction, eventIds, webhookIds, now);
  }

  async #insertDeliveries(
    transaction: WriteTransaction,
    eventIds: readonly string[],
    webhookIds: readonly string[],
    now: number,
  ): Promise<readonly string[]> {
    const deliveries = eventIds.flatMap((eventId) =>
      webhookIds.map((webhookId) => this.#delivery(eventId, webhookId, now)),
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

  #delivery(eventId: string, webhookId: string, now: number): DeliveryTable {
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
    };
  }
}
