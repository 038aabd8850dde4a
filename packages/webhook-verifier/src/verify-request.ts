import { refuseConsumed, WebhookVerificationError } from './errors.js';
import { parseEvent, type WebhookEvent } from './event.js';
import { secretsOf, type VerifyRequestOptions } from './options.js';
import { rawBytes } from './raw-bytes.js';
import { readBody, type WebhookRequest } from './read-body.js';
import { readClaim } from './signed-headers.js';

/** Compares 32 bytes with 64 hexadecimal digits in constant time. */
function isSignature(expected: Uint8Array, hex: string): boolean {
  const differ = (sum: number, byte: number, index: number) =>
    sum | (byte ^ parseInt(hex.slice(2 * index, 2 * index + 2), 16));
  return expected.reduce(differ, 0) === 0;
}

/**
 * Verifies a web `Request` and returns its event. Uses Web Crypto only, so it runs in workers, edge
 * functions, Deno, Bun and Node. Reads the body of the request; pass `request.clone()` to read it
 * again.
 *
 * @throws {WebhookVerificationError} if the delivery is not valid
 * @throws {TypeError} if the secret is missing, the tolerance negative or `now` invalid
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
  const secrets = secretsOf(options);
  const { timestamp, signatures } = readClaim(request.headers, options);
  const body = await readBody(request, options).catch(refuseConsumed);
  const prefix = rawBytes(`${timestamp}.`);
  const content = new Uint8Array(prefix.length + body.length);
  content.set(prefix);
  content.set(body, prefix.length);

  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  let matches = false;
  for (const secret of secrets) {
    const bytes = new TextEncoder().encode(secret);
    const key = await crypto.subtle.importKey('raw', bytes, algorithm, false, ['sign']);
    const expected = new Uint8Array(await crypto.subtle.sign('HMAC', key, content));
    for (const hex of signatures) matches = isSignature(expected, hex) || matches;
  }
  if (!matches) {
    throw new WebhookVerificationError('signature_mismatch', 'No signature matches');
  }
  // Parse the copy that was hashed. The caller may have changed its own buffer.
  return parseEvent(content.subarray(prefix.length));
}
