import { refuseConsumed } from './errors.js';

/** The body exactly as it came; a string stands for its UTF-8 bytes. */
export type RawBody = Uint8Array | ArrayBuffer | string;

/**
 * Returns the body's bytes. Memory that another thread can write to is copied, so that what is hashed
 * is what is parsed; both read the bytes and ask no method of the caller's class.
 */
export function rawBytes(body: unknown): Uint8Array {
  // Encoding replaces a lone surrogate, so one signature would fit several such strings.
  if (typeof body === 'string' && body.isWellFormed()) return new TextEncoder().encode(body);
  const bytes =
    body instanceof Uint8Array
      ? body
      : ArrayBuffer.isView(body)
        ? new Uint8Array(body.buffer, body.byteOffset, body.byteLength)
        : // By its tag: `instanceof` fails for a buffer from another realm (test runners, workers).
          /ArrayBuffer]$/.test({}.toString.call(body))
          ? new Uint8Array(body as ArrayBuffer)
          : refuseConsumed();
  return bytes.buffer instanceof ArrayBuffer ? bytes : new Uint8Array(bytes);
}
