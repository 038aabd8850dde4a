import { refuse, refuseConsumed } from './errors.js';
import { MAX_BODY_BYTES, type VerifyRequestOptions } from './options.js';
import { rawBytes } from './raw-bytes.js';
import type { WebhookHeaders } from './signed-headers.js';

/**
 * The part of a request that is used: a web `Request` of any runtime, the `IncomingMessage` of
 * `node:http`, which is read as a stream, or the headers and the bytes of a body.
 */
export interface WebhookRequest {
  readonly headers: WebhookHeaders;
  /**
   * A stream, which is read up to the limit, or the bytes. Without a stream, `arrayBuffer` reads the
   * whole body.
   */
  readonly body?: unknown;
  readonly bodyUsed?: boolean;
  /** Reads the whole body. Rejects if it was read before. */
  readonly arrayBuffer?: () => Promise<ArrayBuffer>;
}

/**
 * Reads a body into new memory and stops at the limit.
 *
 * Throws `body_too_large`. Throws the stream's error if the body was read before, is locked, or was
 * aborted by the sender.
 */
export async function readBody(
  request: WebhookRequest,
  options: VerifyRequestOptions,
): Promise<Uint8Array> {
  const limit = options.maxBodyBytes ?? MAX_BODY_BYTES;
  const stream = (request.body ?? request) as Partial<AsyncIterable<Uint8Array>> & {
    readonly readableDidRead?: boolean;
  };
  // A stream of Node that was read before would seem to be empty.
  if (stream.readableDidRead) refuseConsumed();
  const chunks =
    !request.bodyUsed && stream[Symbol.asyncIterator]
      ? (stream as AsyncIterable<Uint8Array>)
      : [rawBytes(request.arrayBuffer ? await request.arrayBuffer() : request.body)];
  let bytes = new Uint8Array();
  let size = 0;
  // A throw inside the loop cancels the stream. Chunks are copied into one buffer: a list of chunks
  // would need much more memory if a sender made each chunk one byte long.
  for await (const chunk of chunks) {
    const end = size + chunk.length;
    // The negation refuses every size if the limit is NaN.
    if (!(end <= limit)) refuse('body_too_large', `The body must be at most ${limit} bytes`);
    if (end > bytes.length) {
      const smaller = bytes;
      bytes = new Uint8Array(end + size);
      bytes.set(smaller);
    }
    bytes.set(chunk, size);
    size = end;
  }
  return bytes.subarray(0, size);
}
