import { refuse, refuseConsumed, WebhookVerificationError } from './errors.js';
import type { Settings } from './options.js';
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
  /** Aborted when the sender closes the connection. */
  readonly signal?: { readonly aborted: boolean };
  /** Reads the whole body. Rejects if it was read before. */
  readonly arrayBuffer?: () => Promise<ArrayBuffer>;
}

/**
 * Reads a body into new memory and stops at the limit.
 *
 * Throws `body_too_large`, or `request_aborted` if the sender closed the connection. Throws the
 * stream's error if the body was read before, or is locked.
 */
export async function readBody(
  request: WebhookRequest,
  { maxBodyBytes }: Settings,
): Promise<Uint8Array> {
  const stream = (request.body ?? request) as Partial<AsyncIterable<Uint8Array>> & {
    readonly readableDidRead?: boolean;
    readonly readableAborted?: boolean;
  };
  // A stream of Node that was read before would seem to be empty.
  if (request.bodyUsed || stream.readableDidRead) refuseConsumed();
  try {
    const chunks = stream[Symbol.asyncIterator]
      ? (stream as AsyncIterable<Uint8Array>)
      : [rawBytes(request.arrayBuffer ? await request.arrayBuffer() : request.body)];
    return await join(chunks, maxBodyBytes);
  } catch (error) {
    // A refusal aborts the stream, too.
    const isAborted = request.signal?.aborted || stream.readableAborted;
    if (!isAborted || error instanceof WebhookVerificationError) throw error;
    refuse('request_aborted', 'The sender closed the connection', { cause: error });
  }
}

async function join(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  limit: number,
): Promise<Uint8Array> {
  let bytes = new Uint8Array();
  let size = 0;
  // A throw inside the loop cancels the stream. Chunks are copied into one buffer: a list of chunks
  // would need much more memory if a sender made each chunk one byte long.
  for await (const each of chunks) {
    // A stream of Node with an encoding has strings.
    const chunk = rawBytes(each);
    const end = size + chunk.length;
    if (end > limit) refuse('body_too_large', `The body must be at most ${limit} bytes`);
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
