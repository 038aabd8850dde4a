import { refuse } from './errors.js';
import { fromBase64, rawBytes } from './raw-bytes.js';
import type { Claim } from './signed-headers.js';

/** Verifies a claim about a body, which nothing else may write to, with Web Crypto. */
export async function verifyClaim(claim: Claim, body: Uint8Array): Promise<void> {
  const { keys, prefix, encoding } = claim;
  const signatures = claim.signatures.map(encoding === 'hex' ? fromHex : fromBase64);
  const content = await new Blob([prefix, body as Uint8Array<ArrayBuffer>]).arrayBuffer();
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  // Every pair is compared, so the duration does not reveal which one matched.
  let matches = false;
  for (const each of keys) {
    const bytes = rawBytes(each) as Uint8Array<ArrayBuffer>;
    const key = await crypto.subtle.importKey('raw', bytes, algorithm, false, ['sign']);
    const expected = new Uint8Array(await crypto.subtle.sign('HMAC', key, content));
    for (const signature of signatures) matches = isEqual(expected, signature) || matches;
  }
  if (!matches) refuse('signature_mismatch', 'No signature matches');
}

function fromHex(text: string): Uint8Array {
  return Uint8Array.from(text.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
}

/** Compares two lists of 32 bytes in constant time. */
function isEqual(a: Uint8Array, b: Uint8Array): boolean {
  let difference = 0;
  for (let index = 0; index < 32; index++) {
    difference |= (a[index] ?? 0) ^ (b[index] ?? 0);
  }
  return difference === 0;
}
