import { deliveryOf, type WebhookDelivery } from './delivery.js';
import { refuseConsumed } from './errors.js';
import type { WebhookEvent } from './event.js';
import { settingsOf, type VerifyRequestOptions, verifyRequestOptions } from './options.js';
import { readBody, type WebhookRequest } from './read-body.js';
import { verifyClaim } from './signature-web.js';
import { readClaim } from './signed-headers.js';

/**
 * Verifies a web `Request` and returns its event. Uses Web Crypto only, so it runs in workers, edge
 * functions, Deno, Bun and Node. Reads the body of the request; pass `request.clone()` to read it
 * again.
 *
 * @throws {WebhookVerificationError} if the delivery is not valid
 * @throws {TypeError} if an option is invalid
 */
export async function verifyRequest(
  request: WebhookRequest,
  options: VerifyRequestOptions,
): Promise<WebhookEvent> {
  return (await verifyDelivery(request, options)).event;
}

/**
 * Verifies a web `Request` like `verifyRequest`, and returns its event with the id of the delivery, for
 * a deduper.
 *
 * @throws {WebhookVerificationError} if the delivery is not valid
 * @throws {TypeError} if an option is invalid
 *
 * @example
 * ```ts
 * import { verifyDelivery } from '@shorty/webhook-verifier';
 *
 * export async function POST(request: Request): Promise<Response> {
 *   const secret = process.env.SHORTY_WEBHOOK_SECRET ?? '';
 *   const { event, deliveryId } = await verifyDelivery(request, { secret });
 *   console.log(deliveryId, event.type);
 *   return new Response(null, { status: 204 });
 * }
 * ```
 */
export async function verifyDelivery(
  request: WebhookRequest,
  options: VerifyRequestOptions,
): Promise<WebhookDelivery> {
  const settings = settingsOf(options, verifyRequestOptions);
  const claim = readClaim(request.headers, settings);
  const body = await readBody(request, settings).catch(refuseConsumed);
  await verifyClaim(claim, body);
  return deliveryOf(claim, body);
}
