import { parseEvent, type WebhookEvent } from './event.js';
import type { Claim } from './signed-headers.js';

/** A verified delivery. */
export interface WebhookDelivery {
  readonly event: WebhookEvent;
  /**
   * The same in every attempt, and new in a replay: pass it to a deduper. The id of the event if a test
   * sends no id of a delivery.
   */
  readonly deliveryId: string;
}

/** Returns the delivery of a body whose signature is verified. */
export function deliveryOf({ deliveryId }: Claim, body: Uint8Array): WebhookDelivery {
  const event = parseEvent(body);
  return { event, deliveryId: deliveryId ?? event.id };
}

const deliveries = new WeakMap<object, WebhookDelivery>();

/** Stores a verified delivery for the handler behind an adapter. */
export function storeDelivery(carrier: object, delivery: WebhookDelivery): void {
  deliveries.set(carrier, delivery);
}

/**
 * Returns the delivery that an adapter has verified. Pass Express' `req`, Fastify's `request` or
 * Hono's context.
 *
 * @throws {TypeError} if no adapter ran before the handler
 */
export function webhookDelivery(carrier: object): WebhookDelivery {
  const delivery = deliveries.get(carrier);
  if (!delivery) throw new TypeError('No verified webhook: add the adapter');
  return delivery;
}
