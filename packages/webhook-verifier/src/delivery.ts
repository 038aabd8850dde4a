import type { WebhookEvent } from './event.js';
import { headerOf, type WebhookHeaders } from './signed-headers.js';

/** A verified delivery. */
export interface WebhookDelivery {
  readonly event: WebhookEvent;
  /**
   * From `X-Service-Delivery-Id`, or from `webhook-id` if there is no `X-Service-Signature`:
   * the same in every attempt, and new in a replay. Pass it to a deduper. The id of the event if a test
   * sends no such header.
   */
  readonly deliveryId: string;
}

const deliveries = new WeakMap<object, WebhookDelivery>();

export function deliveryOf(event: WebhookEvent, headers: WebhookHeaders): WebhookDelivery {
  const name =
    headerOf(headers, 'x-service-signature') === null ? 'webhook-id' : 'x-service-delivery-id';
  return { event, deliveryId: headerOf(headers, name) ?? event.id };
}

/** Keeps a verified delivery for the handler behind an adapter. */
export function storeDelivery(carrier: object, event: WebhookEvent, headers: WebhookHeaders): void {
  deliveries.set(carrier, deliveryOf(event, headers));
}

/**
 * Returns the delivery that an adapter has verified. Pass Express' `req`, Fastify's `request` or
 * Hono's context.
 *
 * @throws {TypeError} if no adapter ran before the handler
 *
 * @example
 * ```ts
 * import type { Request, Response } from 'express';
 * import { webhookDelivery } from '@shorty/webhook-verifier/express';
 *
 * export function handle(req: Request, res: Response): void {
 *   console.log(webhookDelivery(req).event.type);
 *   res.status(204).end();
 * }
 * ```
 */
export function webhookDelivery(carrier: object): WebhookDelivery {
  const delivery = deliveries.get(carrier);
  if (!delivery) throw new TypeError('No verified webhook: add the adapter');
  return delivery;
}
