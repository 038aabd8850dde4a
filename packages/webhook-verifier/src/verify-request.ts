import { deliveryOf, type WebhookDelivery } from './delivery.js';
import { refuse, refuseConsumed } from './errors.js';
import { parseEvent, type WebhookEvent } from './event.js';
import type { VerifyRequestOptions } from './options.js';
import { fromBase64, rawBytes } from './raw-bytes.js';
import { readBody, type WebhookRequest } from './read-body.js';
import { type Claim, readClaim } from './signed-headers.js';

/**
 * Verifies a web `Request` and returns its event. Uses Web Crypto only, so it runs in workers, edge
 * functions, Deno, Bun and Node. Reads the body of the request; pass `request.clone()` to read it
 * again.
 *
 * @throws {WebhookVerificationError} if the delivery is not valid
 * @throws {TypeError} if the secret is missing
 *
 * @example
 * ```ts
 * import { verifyRequest } from '@shorty/webhook-verifier';
 *
 * export default {
 *   async fetch(request: Request, env: { SHORTY_WEBHOOK_SECRET: string }): Promise<Response> {
 *     const event = await verifyRequest(request, { secret: env.SHORTY_WEBHOOK_SECRET });
 *     return new Response(event.id);
 *   },
 * };
 * ```
 */
export async function verifyRequest(
  request: WebhookRequest,
  options: VerifyRequestOptions,
): Promise<WebhookEvent> {
  const claim = readClaim(request.headers, options);
  return verifyBody(claim, await readBody(request, options).catch(refuseConsumed));
}

/**
 * Verifies a web `Request` like `verifyRequest`, and returns its event with the id of the delivery, for
 * a deduper.
 *
 * @throws {WebhookVerificationError} if the delivery is not valid
 * @throws {TypeError} if the secret is missing
 *
 * @example
 * ```ts
 * import { verifyDelivery } from '@shorty/webhook-verifier';
 * import { createDeduper } from '@shorty/webhook-verifier/dedupe';
 *
 * const deduper = createDeduper();
 *
 * export async function POST(request: Request): Promise<Response> {
 *   const secret = process.env.SHORTY_WEBHOOK_SECRET ?? '';
 *   const { event, deliveryId } = await verifyDelivery(request, { secret });
 *   await deduper.once(deliveryId, () => console.log(event.type));
 *   return new Response(null, { status: 204 });
 * }
 * ```
 */
export async function verifyDelivery(
  request: WebhookRequest,
  options: VerifyRequestOptions,
): Promise<WebhookDelivery> {
  return deliveryOf(await verifyRequest(request, options), request.headers);
}

/** Verifies a body, which nothing else may write to, with Web Crypto, and returns its event. */
export async function verifyBody(claim: Claim, body: Uint8Array): Promise<WebhookEvent> {
  const { keys, prefix, encoding, signatures } = claim;
  const content = await new Blob([prefix, body as Uint8Array<ArrayBuffer>]).arrayBuffer();
  const decode = encoding === 'hex' ? fromHex : fromBase64;
  const given = signatures.map(decode);
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  // Every pair is compared, so the duration does not reveal which one matched.
  let matches = false;
  for (const each of keys) {
    const bytes = rawBytes(each) as Uint8Array<ArrayBuffer>;
    const key = await crypto.subtle.importKey('raw', bytes, algorithm, false, ['sign']);
    const expected = new Uint8Array(await crypto.subtle.sign('HMAC', key, content));
    for (const signature of given) matches = isEqual(expected, signature) || matches;
  }
  if (!matches) refuse('signature_mismatch', 'No signature matches');
  return parseEvent(body);
}

function fromHex(text: string): Uint8Array {
  const pairs = text.match(/../g) ?? [];
  return Uint8Array.from(pairs, (pair) => Number.parseInt(pair, 16));
}

/** Compares two lists of 32 bytes in constant time. */
function isEqual(a: Uint8Array, b: Uint8Array): boolean {
  let difference = 0;
  for (let index = 0; index < 32; index++) {
    difference |= (a[index] ?? 0) ^ (b[index] ?? 0);
  }
  return difference === 0;
}
