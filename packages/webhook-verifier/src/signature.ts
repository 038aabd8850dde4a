import { type BinaryToTextEncoding, createHmac, timingSafeEqual } from 'node:crypto';
import { refuse } from './errors.js';
import type { Key } from './options.js';
import { type RawBody, rawBytes } from './raw-bytes.js';
import type { Claim } from './signed-headers.js';

/**
 * Returns the HMAC-SHA256 of a prefix and a body, as text. It is faster than a Buffer, which would
 * allocate memory outside the heap.
 */
export function signatureOf(
  prefix: string,
  body: Uint8Array | string,
  key: Key,
  encoding: BinaryToTextEncoding,
): string {
  return createHmac('sha256', key).update(prefix).update(body).digest(encoding);
}

/** Verifies a claim about a body and returns the bytes of the body. */
export function verifyClaim(
  [keys, prefix, encoding, signatures]: Claim,
  body: RawBody,
): Uint8Array {
  const bytes = rawBytes(body);
  // Every pair is compared, so the duration does not reveal which one matched.
  let matches = false;
  for (const key of keys) {
    // Text of binary digests is decoded faster than text of hexadecimal ones.
    const expected = Buffer.from(signatureOf(prefix, bytes, key, 'binary'), 'binary');
    for (const signature of signatures) {
      matches = timingSafeEqual(expected, Buffer.from(signature, encoding)) || matches;
    }
  }
  if (!matches) refuse('signature_mismatch', 'No signature matches');
  return bytes;
}
