import { createHmac, timingSafeEqual } from 'node:crypto';
import { refuse } from './errors.js';
import type { Key } from './options.js';
import type { Claim } from './signed-headers.js';

/** Returns the HMAC-SHA256 of a prefix and a body. */
export function signatureOf(prefix: string, body: Uint8Array | string, key: Key): Buffer {
  return createHmac('sha256', key).update(prefix).update(body).digest();
}

/** Verifies a claim about a body with `node:crypto`. */
export function verifyClaim(claim: Claim, body: Uint8Array): void {
  const { keys, prefix, encoding } = claim;
  const signatures = claim.signatures.map((text) => Buffer.from(text, encoding));
  // Every pair is compared, so the duration does not reveal which one matched.
  let matches = false;
  for (const key of keys) {
    const expected = signatureOf(prefix, body, key);
    for (const each of signatures) matches = timingSafeEqual(expected, each) || matches;
  }
  if (!matches) refuse('signature_mismatch', 'No signature matches');
}
