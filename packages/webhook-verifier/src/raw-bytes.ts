import { refuseConsumed } from './errors.js';

/** The body exactly as it was received. A string is encoded as UTF-8. */
export type RawBody = Uint8Array | ArrayBuffer | string;

/** Returns what kind of built-in object a value is, such as `Object` or `ArrayBuffer`. */
export function tagOf(value: unknown): string {
  return {}.toString.call(value);
}

/**
 * Returns the bytes of a body. Copies shared memory, because another thread could change it between
 * the hash and the parse.
 */
export function rawBytes(body: unknown): Uint8Array {
  const {
    buffer = body,
    byteOffset,
    byteLength,
  } = ( // Encoding replaces lone surrogates. Different strings would then have the same signature.
    typeof body === 'string' ? new TextEncoder().encode(body) : (body ?? {})
  ) as Partial<Uint8Array>;
  // `instanceof` is faster, but fails for a buffer from another realm, such as a test runner's.
  if (!(buffer instanceof ArrayBuffer || /ArrayBuffer/.test(tagOf(buffer)))) refuseConsumed();
  const bytes = new Uint8Array(buffer as ArrayBuffer, byteOffset, byteLength);
  return buffer instanceof ArrayBuffer ? bytes : bytes.slice();
}
