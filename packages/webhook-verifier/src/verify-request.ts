import { bodyConsumed } from './errors.js';
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

async function readBody(request: WebhookRequest): Promise<Uint8Array> {
  try {
    return new Uint8Array(await request.arrayBuffer());
  } catch (cause) {
    // Read before, locked by a reader, or broken off by the sender.
    throw bodyConsumed(cause);
  }
}

async function hmac(secret: string, content: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  const key = await crypto.subtle.importKey(
    'raw',
    new TextEncoder().encode(secret),
    { name: 'HMAC', hash: 'SHA-256' },
    false,
    ['sign'],
  );
  return new Uint8Array(await crypto.subtle.sign('HMAC', key, content));
}

/** Looks at every byte, whatever the first ones are. The signature is twice as many hex digits. */
function differ(expected: Uint8Array, signature: string): number {
  return expected.reduce(
    (bits, byte, i) => bits | (byte ^ Number(`0x${signature.slice(2 * i, 2 * i + 2)}`)),
    0,
  );
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
  const bytes = await readBody(request);
  const { timestamp, signatures } = readClaim(request.headers, options);
  const prefix = rawBytes(`${timestamp}.`);
  const content = new Uint8Array(prefix.length + bytes.length);
  content.set(prefix);
  content.set(bytes, prefix.length);

  let matches = false;
  for (const secret of secrets) {
    const expected = await hmac(secret, content);
    for (const signature of signatures) matches = differ(expected, signature) === 0 || matches;
  }
  if (!matches) throw signatureMismatch();
  return parseEvent(bytes);
}
