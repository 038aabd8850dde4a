import { refuseConsumed } from './errors.js';

/** The body exactly as it came; a string stands for its UTF-8 bytes. */
export type RawBody = Uint8Array | ArrayBuffer | string;

/**
 * Returns a view of the body's bytes that asks no method of the caller's class. Memory that another
 * thread can write to is copied, so that what is hashed is what is parsed.
 */
export function rawBytes(body: unknown): Uint8Array {
  // Encoding replaces a lone surrogate, so one signature would fit several such strings.
  if (typeof body === 'string' && body.isWellFormed()) return new TextEncoder().encode(body);
  const bytes = ArrayBuffer.isView(body)
    ? new Uint8Array(body.buffer, body.byteOffset, body.byteLength)
    : // By its tag: `instanceof` fails for a buffer from another realm (test runners, workers).
      /ArrayBuffer]$/.test({}.toString.call(body))
      ? new Uint8Array(body as ArrayBuffer)
      : refuseConsumed();
  return bytes.buffer instanceof ArrayBuffer ? bytes : bytes.slice();
}
