import type { IncomingMessage, ServerResponse } from 'node:http';
import { promisify } from 'node:util';
import { gunzip, inflate } from 'node:zlib';
import { ApiError, shorten, validationError } from '../contract/api-error.js';
import { yieldToEventLoop } from '../yield-to-event-loop.js';
import { answerMalformed } from './answer-malformed.js';

/** The limit of public routes, which read credentials or a password. */
export const maxPublicBodyBytes = 8 * 1024;

/** The limit of authenticated routes, after inflation: 100 links with every field at its limit. */
export const maxBodyBytes = 4 * 1024 * 1024;

// A request can hold this much memory without a slot.
const slotlessBytes = 16 * 1024;

// JSON compresses by a factor of 5 to 10, and a list of similar links by 50.
const maxInflationRatio = 100;
// Inflation to this size is always allowed.
const minInflatedBytes = 64 * 1024;

export interface BodyLimits {
  readonly maxBytes: number;
  /** Time limit for the whole body. By default, only the limit for a whole request applies. */
  readonly timeoutMs?: number;
  /** Waits for a slot for a compressed or large body. Without it, Content-Encoding is refused. */
  readonly acquireSlot?: (receivedBytes: () => number, onSlow: () => void) => Promise<void>;
}

const decoders = { gzip: promisify(gunzip), deflate: promisify(inflate) };

/**
 * Reads and inflates the body of a request in slices that yield to the event loop. Throws
 * PAYLOAD_TOO_LARGE, UNSUPPORTED_MEDIA_TYPE or VALIDATION_FAILED; `drainRequest` then reads the rest.
 */
export async function readBody(
  request: IncomingMessage,
  response: ServerResponse,
  { maxBytes, timeoutMs, acquireSlot }: BodyLimits,
): Promise<Buffer> {
  const decode = decoderOf(request, acquireSlot !== undefined);
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) throw tooLarge(maxBytes);
  let receivedBytes = 0;
  let slot: Promise<void> | undefined;
  const waitForSlot = async () => {
    slot ??= acquireSlot?.(
      () => receivedBytes,
      () => refuseAsLate(request),
    );
    await slot;
  };
  // A compressed body needs a slot from its first byte, because inflation needs memory.
  if (decode) await waitForSlot();
  if (/^100-continue$/i.test(request.headers.expect ?? '')) response.writeContinue();
  const timer = timeoutMs === undefined ? undefined : setTimeout(refuseAsLate, timeoutMs, request);
  try {
    const bytes = await collect(request, maxBytes, async (totalBytes) => {
      receivedBytes = totalBytes;
      if (totalBytes > slotlessBytes) await waitForSlot();
    });
    return decode ? await inflateWithin(decode, bytes, maxBytes) : bytes;
  } finally {
    clearTimeout(timer);
  }
}

type Decode = (typeof decoders)[keyof typeof decoders];

function decoderOf({ headers }: IncomingMessage, mayBeCompressed: boolean): Decode | undefined {
  const coding = (headers['content-encoding'] ?? 'identity').trim().toLowerCase();
  if (coding === 'identity' || coding === '') return undefined;
  if (mayBeCompressed && Object.hasOwn(decoders, coding)) {
    return decoders[coding as keyof typeof decoders];
  }
  const rule = mayBeCompressed
    ? `must be one of ${Object.keys(decoders).join(', ')}, identity`
    : 'must be identity on this route';
  throw new ApiError('UNSUPPORTED_MEDIA_TYPE', `Content-Encoding "${shorten(coding)}": ${rule}`);
}

async function collect(
  request: IncomingMessage,
  maxBytes: number,
  beforeCopy: (totalBytes: number) => Promise<void>,
): Promise<Buffer> {
  const declared = Number(request.headers['content-length'] ?? slotlessBytes);
  // One buffer instead of a list of chunks, because a client can send chunks of one byte.
  let bytes = Buffer.allocUnsafeSlow(Math.min(declared, slotlessBytes));
  let length = 0;
  for await (const chunk of chunksOf(request)) {
    const needed = length + chunk.length;
    if (needed > maxBytes) throw tooLarge(maxBytes);
    await beforeCopy(needed);
    if (needed > bytes.length) {
      const larger = Buffer.allocUnsafeSlow(Math.min(maxBytes, Math.max(needed, bytes.length * 2)));
      bytes.copy(larger, 0, 0, length);
      bytes = larger;
    }
    chunk.copy(bytes, length);
    length = needed;
  }
  return bytes.subarray(0, length);
}

/**
 * Yields the body of a request, one chunk in each turn of the event loop. A flowing stream would
 * emit two megabytes of small chunks in one turn.
 */
export async function* chunksOf(request: IncomingMessage): AsyncGenerator<Buffer> {
  for (;;) {
    const chunk = request.read() as Buffer | null;
    if (chunk) yield chunk;
    else if (request.readableEnded) return;
    else if (request.destroyed) {
      throw validationError([{ path: '', message: 'ends before its Content-Length' }]);
    } else await nextEvent(request);
    await yieldToEventLoop();
  }
}

function nextEvent(request: IncomingMessage): Promise<void> {
  return new Promise((resolve) => {
    const events = ['readable', 'end', 'error', 'close'];
    const done = () => {
      for (const event of events) request.off(event, done);
      resolve();
    };
    for (const event of events) request.on(event, done);
  });
}

async function inflateWithin(decode: Decode, bytes: Buffer, maxBytes: number): Promise<Buffer> {
  const maxRatioBytes = Math.max(minInflatedBytes, bytes.length * maxInflationRatio);
  const maxOutputLength = Math.min(maxBytes, maxRatioBytes);
  if (bytes.length === 0) return bytes;
  try {
    return await decode(bytes, { maxOutputLength });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ERR_BUFFER_TOO_LARGE') {
      if (maxOutputLength === maxBytes) throw tooLarge(maxBytes);
      throw new ApiError(
        'PAYLOAD_TOO_LARGE',
        `The body must inflate to at most ${maxInflationRatio} times its ${bytes.length} bytes`,
      );
    }
    if (code?.startsWith('Z_')) {
      throw validationError([{ path: '', message: 'does not match its Content-Encoding' }]);
    }
    throw error;
  }
}

/**
 * Answers with 408 as Node's own time limits do, unless the request is complete. Closing the connection
 * ends the read.
 */
function refuseAsLate({ complete, socket }: IncomingMessage): void {
  if (complete) return;
  answerMalformed(Object.assign(new Error('late'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' }), socket);
}

function tooLarge(maxBytes: number): ApiError {
  return new ApiError('PAYLOAD_TOO_LARGE', `The body must be at most ${maxBytes} bytes`);
}
