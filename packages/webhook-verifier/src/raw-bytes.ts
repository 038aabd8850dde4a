import { refuseConsumed } from './errors.js';

/** The body exactly as it was received. A string is encoded as UTF-8. */
export type RawBody = Uint8Array | ArrayBuffer | string;

/** Returns what kind of built-in object a value is, such as `Object` or `ArrayBuffer`. */
export function tagOf(value: unknown): string {
  return {}.toString.call(value);
}

export function fromBase64(text: string): Uint8Array {
  return Uint8Array.from(atob(text), (char) => char.charCodeAt(0));
}

/** Returns the bytes of a body, without a copy. Throws `body_already_parsed` for anything else. */
export function rawBytes(body: unknown): Uint8Array {
  // Encoding replaces lone surrogates. Different strings would then have the same signature, if one had.
  if (typeof body === 'string') return new TextEncoder().encode(body);
  if (ArrayBuffer.isView(body)) {
    return new Uint8Array(body.buffer, body.byteOffset, body.byteLength);
  }
  // `instanceof` fails for a buffer from another realm, such as a test runner's.
  if (tagOf(body) !== '[object ArrayBuffer]') refuseConsumed();
  return new Uint8Array(body as ArrayBuffer);
}
