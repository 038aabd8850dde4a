import { refuseConsumed } from './errors.js';

/** The body exactly as it came; a string stands for its UTF-8 bytes. */
export type RawBody = Uint8Array | ArrayBuffer | string;

/** The body's bytes, without a copy where there is something to look at. */
export function rawBytes(body: unknown): Uint8Array {
  if (body instanceof Uint8Array) return body;
  if (typeof body === 'string') return new TextEncoder().encode(body);
  if (ArrayBuffer.isView(body)) {
    return new Uint8Array(body.buffer, body.byteOffset, body.byteLength);
  }
  // By its tag, because `instanceof` fails for a buffer from another realm (test runners, workers).
  if ({}.toString.call(body) === '[object ArrayBuffer]') {
    return new Uint8Array(body as ArrayBuffer);
  }
  return refuseConsumed();
}
