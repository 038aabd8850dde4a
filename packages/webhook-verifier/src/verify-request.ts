import { refuse, refuseConsumed } from './errors.js';
import { parseEvent, type WebhookEvent } from './event.js';
import type { VerifyRequestOptions } from './options.js';
import { rawBytes } from './raw-bytes.js';
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
  options: VerifyRequestOptions,
): Promise<WebhookEvent> {
  const claim = readClaim(request.headers, options);
  return verifyBody(claim, await readBody(request, options).catch(refuseConsumed));
}

/** Verifies a body, which nothing else may write to, with Web Crypto, and returns its event. */
export async function verifyBody(
  [keys, prefix, encoding, signatures]: Claim,
  body: Uint8Array,
): Promise<WebhookEvent> {
  const content = await new Blob([prefix, body as Uint8Array<ArrayBuffer>]).arrayBuffer();
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  let matches = false;
  for (const each of keys) {
    const bytes = rawBytes(each) as Uint8Array<ArrayBuffer>;
    const key = await crypto.subtle.importKey('raw', bytes, algorithm, false, ['sign']);
    const mac = new Uint8Array(await crypto.subtle.sign('HMAC', key, content));
    for (const signature of signatures) {
      const given = Uint8Array.from(
        encoding === 'hex' ? (signature.match(/../g) as string[]) : atob(signature),
        (text) => (encoding === 'hex' ? Number.parseInt(text, 16) : text.charCodeAt(0)),
      );
      // Compares in constant time. Both have 32 bytes.
      const differ = mac.reduce((sum, byte, index) => sum | (byte ^ (given[index] as number)), 0);
      matches = !differ || matches;
    }
  }
  if (!matches) refuse('signature_mismatch', 'No signature matches');
  return parseEvent(body);
}
