import { refuseConsumed } from './errors.js';
import { parseEvent, type WebhookEvent } from './event.js';
import { secretsOf, type VerifyOptions } from './options.js';
import { rawBytes } from './raw-bytes.js';
import { readClaim, signatureMismatch, type WebhookHeaders } from './signed-headers.js';

/** The part of the web's `Request` that is needed, so that every runtime's own class fits. */
export interface WebhookRequest {
  readonly headers: WebhookHeaders;
  /** Rejects when the body was read before. */
  arrayBuffer(): Promise<ArrayBuffer>;
}

/** The platform compares, in a time that does not tell where they differ. */
async function isSigned(
  content: Uint8Array<ArrayBuffer>,
  secret: string,
  hex: string,
): Promise<boolean> {
  const key = await crypto.subtle.importKey(
    'raw',
    new TextEncoder().encode(secret),
    { name: 'HMAC', hash: 'SHA-256' },
    false,
    ['verify'],
  );
  const signature = Uint8Array.from(hex.match(/../g) ?? [], (digits) => Number(`0x${digits}`));
  return crypto.subtle.verify('HMAC', key, signature, content);
}

/**
 * Checks a web `Request` and returns its event, with Web Crypto only: for workers, edge functions,
 * Deno, Bun and Node. It reads the request's body; pass `request.clone()` to keep it.
 *
 * @throws {WebhookVerificationError} for anything wrong with the delivery
 * @throws {TypeError} for a missing secret, a negative tolerance or an invalid `now`
 *
 * @example
 * ```ts
 * import { verifyRequest, WebhookVerificationError } from '@shorty/webhook-verifier';
 *
 * export default {
 *   async fetch(request: Request, env: { SHORTY_WEBHOOK_SECRET: string }): Promise<Response> {
 *     try {
 *       const event = await verifyRequest(request, { secret: env.SHORTY_WEBHOOK_SECRET });
 *       return new Response(event.id);
 *     } catch (error) {
 *       if (!(error instanceof WebhookVerificationError)) throw error;
 *       return new Response(error.code, { status: error.statusCode });
 *     }
 *   },
 * };
 * ```
 */
export async function verifyRequest(
  request: WebhookRequest,
  options: VerifyOptions,
): Promise<WebhookEvent> {
  const secrets = secretsOf(options.secret);
  // It rejects when it was read before, is locked by a reader, or was broken off by the sender.
  const bytes = rawBytes(await request.arrayBuffer().catch(refuseConsumed));
  const { timestamp, signatures } = readClaim(request.headers, options);
  const prefix = rawBytes(`${timestamp}.`);
  const content = new Uint8Array(prefix.length + bytes.length);
  content.set(prefix);
  content.set(bytes, prefix.length);

  let matches = false;
  for (const secret of secrets) {
    for (const hex of signatures) matches = (await isSigned(content, secret, hex)) || matches;
  }
  if (!matches) throw signatureMismatch();
  return parseEvent(bytes);
}
