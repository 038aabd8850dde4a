import { createHmac, timingSafeEqual } from 'node:crypto';
import { refuse } from './errors.js';
import type { Key } from './options.js';
import { type RawBody, rawBytes } from './raw-bytes.js';
import type { Claim } from './signed-headers.js';

/** Returns the HMAC-SHA256 of a prefix and a body. */
export function signatureOf(prefix: string, body: Uint8Array | string, key: Key): Buffer {
  return createHmac('sha256', key).update(prefix).update(body).digest();
}

/** Verifies a claim about a body and returns the bytes of the body. */
export function verifyClaim(claim: Claim, body: RawBody): Uint8Array {
  const { keys, prefix, encoding, signatures } = claim;
  const bytes = rawBytes(body);
  const given = signatures.map((signature) => Buffer.from(signature, encoding));
  // Every pair is compared, so the duration does not reveal which one matched.
  let matches = false;
  for (const key of keys) {
    const expected = signatureOf(prefix, bytes, key);
    for (const each of given) matches = timingSafeEqual(expected, each) || matches;
  }
  if (!matches) refuse('signature_mismatch', 'No signature matches');
  return bytes;
}
