import { refuseConsumed } from './errors.js';

/** The body exactly as it was received. A string is encoded as UTF-8. */
export type RawBody = Uint8Array | ArrayBuffer | string;

/**
 * Returns the bytes of a body. Copies shared memory, because another thread could change it between
 * the hash and the parse.
 */
export function rawBytes(body: unknown): Uint8Array {
  // Encoding replaces lone surrogates. Different strings would then have the same signature.
  if (typeof body === 'string' && body.isWellFormed()) return new TextEncoder().encode(body);
  const bytes = ArrayBuffer.isView(body)
    ? new Uint8Array(body.buffer, body.byteOffset, body.byteLength)
    : // `instanceof` fails for a buffer from another realm, such as a test runner's.
      /ArrayBuffer]$/.test({}.toString.call(body))
      ? new Uint8Array(body as ArrayBuffer)
      : refuseConsumed();
  return bytes.buffer instanceof ArrayBuffer ? bytes : new Uint8Array(bytes);
}
