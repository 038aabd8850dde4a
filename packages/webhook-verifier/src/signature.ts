import { hash, timingSafeEqual } from 'node:crypto';

/** A secret's two blocks of HMAC (RFC 2104 §2), the outer one with room for the inner digest. */
type Blocks = readonly [inner: Buffer, outer: Buffer];

// Used again each time: memory of their own would cost a third of an HMAC.
let message = /* @__PURE__ */ Buffer.alloc(4096);
const both = /* @__PURE__ */ Buffer.alloc(128);
const left = /* @__PURE__ */ both.subarray(0, 64);
const right = /* @__PURE__ */ both.subarray(64);

const blocks = /* @__PURE__ */ new Map<string, Blocks>();

function blocksOf(secret: string): Blocks {
  let own = blocks.get(secret);
  if (!own) {
    const bytes = Buffer.from(secret);
    const key = Buffer.concat([bytes.length > 64 ? hash('sha256', bytes, 'buffer') : bytes], 64);
    own = [
      key.map((byte) => byte ^ 54) as Buffer,
      Buffer.concat([key.map((byte) => byte ^ 92)], 96),
    ];
    // A receiver has a few secrets. One that checks for many must not keep them all.
    if (blocks.size > 99) blocks.clear();
    blocks.set(secret, own);
  }
  return own;
}

/**
 * What signs a body sent at that time: 64 hexadecimal digits.
 *
 * HMAC by two plain hashes: `createHmac` makes an object for each message, which takes longer than
 * to hash 512 bytes.
 */
export function signatureOf(timestamp: string, body: Uint8Array, secret: string): string {
  const [inner, outer] = blocksOf(secret);
  const start = 65 + timestamp.length;
  const end = start + body.length;
  if (message.length < end) message = Buffer.alloc(2 * end);
  message.set(inner);
  message.write(`${timestamp}.`, 64);
  message.set(body, start);
  // Not a digest that is a Buffer: its memory of its own costs half a hash.
  outer.write(hash('sha256', message.subarray(0, end), 'hex'), 64, 'hex');
  return hash('sha256', outer, 'hex');
}

/** Compares 64 hexadecimal digits, the second in either case, in a time that does not tell where they differ. */
export function isSignature(expected: string, hex: string): boolean {
  both.write(expected + hex.toLowerCase());
  return timingSafeEqual(left, right);
}
