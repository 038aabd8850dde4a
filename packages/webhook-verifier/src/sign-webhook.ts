import { randomUUID } from 'node:crypto';
import type { WebhookEventData, WebhookEventType } from './event.js';
import { secretsOf, type VerifyOptions } from './options.js';
import { signatureOf } from './signature.js';

/** An event to sign; `id` and `createdAt` are made when they are left out. */
export type WebhookEventInput<Type extends WebhookEventType = WebhookEventType> = {
  [Name in Type]: {
    readonly type: Name;
    readonly data: WebhookEventData[Name];
    readonly id?: string | undefined;
    readonly createdAt?: Date | string | undefined;
  };
}[Type];

/** How to sign. */
export interface SignOptions {
  /** With several secrets the header carries a signature by each, as it does during a rotation. */
  readonly secret: VerifyOptions['secret'];
  /** Stays the same when a delivery is tried again. Default: a new UUID. */
  readonly deliveryId?: string | undefined;
  /** The time of signing. Default: the clock. */
  readonly now?: Date | undefined;
}

/** What goes over the wire. */
export interface SignedWebhook {
  readonly headers: {
    readonly 'Content-Type': string;
    readonly 'X-Service-Event': string;
    readonly 'X-Service-Delivery-Id': string;
    readonly 'X-Service-Timestamp': string;
    readonly 'X-Service-Signature': string;
  };
  readonly body: string;
}

/**
 * Signs a body as it stands, for senders that keep what they send: the same bytes at every attempt,
 * each with a timestamp and signatures of its own.
 *
 * @throws {TypeError} for a missing secret
 *
 * @example
 * ```ts
 * import { signBody } from '@shorty/webhook-verifier';
 *
 * const headers = signBody('{"id":"…","type":"url.created"}', 'url.created', { secret: 'a secret' });
 * console.log(headers['X-Service-Signature']);
 * ```
 */
export function signBody(
  body: string,
  type: string,
  { secret, deliveryId = randomUUID(), now = new Date() }: SignOptions,
): SignedWebhook['headers'] {
  const timestamp = String(Math.floor(now.getTime() / 1000));
  const bytes = Buffer.from(body);
  const signatures = secretsOf({ secret }).map(
    (each) => `sha256=${signatureOf(timestamp, bytes, each)}`,
  );
  return {
    'Content-Type': 'application/json; charset=utf-8',
    'X-Service-Event': type,
    'X-Service-Delivery-Id': deliveryId,
    'X-Service-Timestamp': timestamp,
    'X-Service-Signature': signatures.join(','),
  };
}

/**
 * Makes the delivery that Shorty would send: for the tests of a receiver. The same event always gives the same body.
 *
 * @throws {TypeError} for a missing secret
 *
 * @example
 * ```ts
 * import { signWebhook } from '@shorty/webhook-verifier';
 *
 * const { headers, body } = signWebhook(
 *   { type: 'domain.verified', data: { hostname: 'go.example.com' } },
 *   { secret: 'a secret of the test' },
 * );
 * await fetch('http://localhost:4000/hook', { method: 'POST', headers, body });
 * ```
 */
export function signWebhook(event: WebhookEventInput, options: SignOptions): SignedWebhook {
  const { now = new Date() } = options;
  const { id = randomUUID(), type, createdAt = now, data } = event;
  const body = JSON.stringify({ id, type, createdAt: new Date(createdAt).toISOString(), data });
  return { headers: signBody(body, type, { ...options, now }), body };
}
