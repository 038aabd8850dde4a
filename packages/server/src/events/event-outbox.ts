import type { NewId } from '../ports.js';
import type { WriteTransaction } from '../storage/database.js';
import type { EventType } from './event-types.js';

/**
 * Writes events and one pending delivery for each webhook that subscribes to them, in the
 * transaction of the change that caused them. An event that nobody subscribes to is not written.
 */
export class EventOutbox {
  readonly #newId: NewId;

  constructor(newId: NewId) {
    this.#newId = newId;
  }

  /** `describe` is called only when somebody subscribes to the type. */
  async record(
    transaction: WriteTransaction,
    organizationId: string,
    type: EventType,
    now: number,
    describe: () => readonly unknown[],
  ): Promise<void> {
    const webhooks = await transaction
      .selectFrom('webhooks')
      .select(['id', 'events'])
      .where('organization_id', '=', organizationId)
      .where('is_active', '=', 1)
      .execute();
    const subscribers = webhooks.filter(({ events }) =>
      (JSON.parse(events) as string[]).includes(type),
    );
    if (subscribers.length === 0) return;
    for (const data of describe()) {
      const eventId = this.#newId();
      await transaction
        .insertInto('events')
        .values({
          id: eventId,
          organization_id: organizationId,
          type,
          data: JSON.stringify(data),
          created_at: now,
        })
        .execute();
      await transaction
        .insertInto('deliveries')
        .values(
          subscribers.map(({ id }) => ({
            id: this.#newId(),
            webhook_id: id,
            event_id: eventId,
            status: 'pending',
            attempts: 0,
            next_attempt_at: now,
            created_at: now,
          })),
        )
        .execute();
    }
  }
}
