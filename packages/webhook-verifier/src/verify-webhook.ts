import { parseEvent, type WebhookEvent } from './event.js';
import type { VerifyOptions } from './options.js';
import type { RawBody } from './raw-bytes.js';
import { verifyClaim } from './signature.js';
import { readClaim, type WebhookHeaders } from './signed-headers.js';

/** A received delivery, and the options to check it. */
export interface VerifyInput extends VerifyOptions {
  readonly body: RawBody;
  readonly headers: WebhookHeaders;
}

/**
 * Verifies the signature and age of a delivery and returns its event. It is synchronous and needs
 * `node:crypto`. On other runtimes, use `verifyRequest`.
 *
 * @throws {WebhookVerificationError} if the delivery is not valid
 * @throws {TypeError} if the secret is missing
 *
 * @example
 * ```ts
 * import { type VerifyInput, verifyWebhook } from '@shorty/webhook-verifier';
 *
 * const secret = process.env.SHORTY_WEBHOOK_SECRET ?? '';
 *
 * export function receive(body: Buffer, headers: VerifyInput['headers']): void {
 *   console.log(verifyWebhook({ body, headers, secret }).type);
 * }
 * ```
 */
export function verifyWebhook(input: VerifyInput): WebhookEvent {
  return parseEvent(verifyClaim(readClaim(input.headers, input), input.body));
}

/**
 * Verifies the signature and age of a delivery like `verifyWebhook`, without parsing the body.
 *
 * @throws {WebhookVerificationError} if headers, time or signature are not valid
 * @throws {TypeError} if the secret is missing
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
  verifyClaim(readClaim(input.headers, input), input.body);
}
