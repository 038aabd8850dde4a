import type { WebhookEvent } from './event.js';
import { headerOf, type WebhookHeaders } from './signed-headers.js';

/** What an adapter leaves for the handler. */
export interface WebhookDelivery {
  readonly event: WebhookEvent;
  /** From a header that the signature does not cover: fit for logs; act on `event.id`. */
  readonly deliveryId: string | undefined;
}

const deliveries = new WeakMap<object, WebhookDelivery>();

export function keepDelivery(carrier: object, event: WebhookEvent, headers: WebhookHeaders): void {
  deliveries.set(carrier, { event, deliveryId: headerOf(headers, 'x-service-delivery-id') });
}

/**
 * The delivery that an adapter has verified: pass Express' `req`, Fastify's `request` or Hono's
 * context.
 *
 * @throws {TypeError} when no adapter ran before the handler
 *
 * @example
 * ```ts
 * import express from 'express';
 * import { expressWebhook, webhookDelivery } from '@shorty/webhook-verifier/express';
 *
 * const secret = process.env.SHORTY_WEBHOOK_SECRET ?? '';
 * const app = express();
 * app.post('/hook', express.raw({ type: '*\/*' }), expressWebhook({ secret }), (req, res) => {
 *   const { event } = webhookDelivery(req);
 *   res.json({ received: event.type });
 * });
 * ```
 */
export function webhookDelivery(carrier: object): WebhookDelivery {
  const delivery = deliveries.get(carrier);
  if (!delivery) throw new TypeError('No verified webhook: the adapter did not run');
  return delivery;
}
