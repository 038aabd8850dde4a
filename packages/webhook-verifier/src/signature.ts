import { createHmac } from 'node:crypto';

/**
 * Returns the HMAC-SHA256 of `<timestamp>.<body>` in hex. Hex is faster than a Buffer, which would
 * allocate memory outside the heap.
 */
export function signatureOf(timestamp: string, body: Uint8Array, secret: string): string {
  return createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest('hex');
}
