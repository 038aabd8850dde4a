import { createHmac } from 'node:crypto';

/**
 * Returns the HMAC-SHA256 of `<timestamp>.<body>` in hex: what signs a body sent at that time. A
 * digest as a Buffer would have memory of its own outside the heap, which takes longer.
 */
export function signatureOf(timestamp: string, body: Uint8Array, secret: string): string {
  return createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest('hex');
}
