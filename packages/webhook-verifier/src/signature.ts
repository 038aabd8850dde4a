import { createHmac } from 'node:crypto';
import type { Key } from './options.js';
import type { Encoding } from './signed-headers.js';

/**
 * Returns the HMAC-SHA256 of a prefix and a body as text. It is faster than a Buffer, which would
 * allocate memory outside the heap.
 */
export function signatureOf(
  prefix: string,
  body: Uint8Array | string,
  key: Key,
  encoding: Encoding,
): string {
  return createHmac('sha256', key).update(prefix).update(body).digest(encoding);
}
