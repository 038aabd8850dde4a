import { deliveryOf, type WebhookDelivery } from './delivery.js';
import type { WebhookEvent } from './event.js';
import { settingsOf, type VerifyOptions, verifyOptions } from './options.js';
import { type RawBody, rawBytes } from './raw-bytes.js';
import { verifyClaim } from './signature-node.js';
import { type Claim, readClaim, type WebhookHeaders } from './signed-headers.js';

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
 * @throws {TypeError} if an option is invalid
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
  return verifyBody(claimOf(input), input.body).event;
}

/**
 * Verifies the signature and age of a delivery like `verifyWebhook`, without parsing the body.
 *
 * @throws {WebhookVerificationError} if headers, time or signature are not valid
 * @throws {TypeError} if an option is invalid
 */
export function verifySignature(input: VerifyInput): void {
  verifyClaim(claimOf(input), rawBytes(input.body));
}

const inputNames = [...verifyOptions, 'body', 'headers'];

function claimOf(input: VerifyInput): Claim {
  return readClaim(input.headers, settingsOf(input, inputNames));
}

/** Verifies a claim about a body, and parses the event. */
export function verifyBody(claim: Claim, body: RawBody): WebhookDelivery {
  const bytes = rawBytes(body);
  verifyClaim(claim, bytes);
  return deliveryOf(claim, bytes);
}
