import { timingSafeEqual } from 'node:crypto';
import { refuseConsumed, WebhookVerificationError } from './errors.js';
import { parseEvent, type WebhookEvent } from './event.js';
import { secretsOf, type VerifyOptions, type VerifyRequestOptions } from './options.js';
import { type RawBody, rawBytes } from './raw-bytes.js';
import { readBody, type WebhookRequest } from './read-body.js';
import { signatureOf } from './signature.js';
import { readClaim, type WebhookHeaders } from './signed-headers.js';

/** A delivery as it arrived, and how to check it. */
export interface VerifyInput extends VerifyOptions {
  readonly body: RawBody;
  readonly headers: WebhookHeaders;
}

/** Returns the bytes that the signature fits. Headers and age are checked before any is hashed. */
function check(input: VerifyInput): Uint8Array {
  const secrets = secretsOf(input);
  const { timestamp, signatures: hexes } = readClaim(input.headers, input);
  const signatures = hexes.map((hex) => Buffer.from(hex));
  const bytes = rawBytes(input.body);
  let matches = false;
  // Every pair is compared, so that the time taken does not tell which one fitted.
  for (const secret of secrets) {
    const expected = Buffer.from(signatureOf(timestamp, bytes, secret));
    for (const signature of signatures) matches = timingSafeEqual(expected, signature) || matches;
  }
  if (!matches) {
    throw new WebhookVerificationError('signature_mismatch', 'Another secret, or another body');
  }
  return bytes;
}

/**
 * Checks a delivery's signature and age and returns its event. Synchronous, on `node:crypto`; where
 * that is missing use `verifyRequest`.
 *
 * @throws {WebhookVerificationError} for anything wrong with the delivery
 * @throws {TypeError} for a missing secret, a negative tolerance or an invalid `now`
 *
 * @example
 * ```ts
 * import { createServer } from 'node:http';
 * import { verifyWebhook } from '@shorty/webhook-verifier';
 *
 * createServer(async (req, res) => {
 *   const chunks: Uint8Array[] = [];
 *   for await (const chunk of req) chunks.push(chunk);
 *   const event = verifyWebhook({
 *     body: Buffer.concat(chunks),
 *     headers: req.headers,
 *     secret: process.env.SHORTY_WEBHOOK_SECRET ?? '',
 *   });
 *   res.end(event.id);
 * });
 * ```
 */
export function verifyWebhook(input: VerifyInput): WebhookEvent {
  return parseEvent(check(input));
}

/**
 * Checks a delivery's signature and age like `verifyWebhook`, and leaves the body alone.
 *
 * @throws {WebhookVerificationError} for anything wrong with headers, time or signature
 * @throws {TypeError} for a missing secret, a negative tolerance or an invalid `now`
 *
 * @example
 * ```ts
 * import { verifySignature, type VerifyInput } from '@shorty/webhook-verifier';
 *
 * export function enqueue(delivery: VerifyInput, queue: string[]): void {
 *   verifySignature(delivery);
 *   queue.push(String(delivery.body));
 * }
 * ```
 */
export function verifySignature(input: VerifyInput): void {
  check(input);
}

/**
 * Checks a web `Request` and returns its event, on `node:crypto`. It reads the request's body; pass
 * `request.clone()` to keep it.
 *
 * @throws {WebhookVerificationError} for anything wrong with the delivery
 * @throws {TypeError} for a missing secret, a negative tolerance or an invalid `now`
 *
 * @example
 * ```ts
 * import { verifyRequest } from '@shorty/webhook-verifier';
 *
 * export async function POST(request: Request): Promise<Response> {
 *   const secret = process.env.SHORTY_WEBHOOK_SECRET ?? '';
 *   const event = await verifyRequest(request, { secret });
 *   return Response.json({ received: event.id });
 * }
 * ```
 */
export async function verifyRequest(
  request: WebhookRequest,
  options: VerifyRequestOptions,
): Promise<WebhookEvent> {
  secretsOf(options);
  const { headers } = request;
  readClaim(headers, options);
  const body = await readBody(request, options).catch(refuseConsumed);
  return verifyWebhook({ ...options, headers, body });
}
