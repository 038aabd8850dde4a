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

const smallBytes = 16 * 1024;

// JSON compresses by a factor of 5 to 10, and a list of similar links by 50.
const maxInflationRatio = 100;
// Inflation to this size is always allowed.
const minInflatedBytes = 64 * 1024;

export interface BodyLimits {
  readonly maxBytes: number;
  readonly timeoutMs: number;
  /** Whether Content-Encoding is allowed. */
  readonly mayBeCompressed?: boolean;
}

const decoders = { gzip: promisify(gunzip), deflate: promisify(inflate) };

/** Returns whether a body may take much memory: a compressed one, or one that is long or of unknown length. */
export function mayBeLarge({ headers }: IncomingMessage): boolean {
  const { 'content-encoding': coding, 'transfer-encoding': transfer } = headers;
  return (
    coding !== undefined ||
    transfer !== undefined ||
    Number(headers['content-length'] ?? 0) > smallBytes
  );
}

/**
 * Reads and inflates the body of a request in slices that yield to the event loop. Throws
 * PAYLOAD_TOO_LARGE, UNSUPPORTED_MEDIA_TYPE or VALIDATION_FAILED; `drainAfter` then reads the rest.
 */
export async function readBody(
  request: IncomingMessage,
  response: ServerResponse,
  { maxBytes, timeoutMs, mayBeCompressed = false }: BodyLimits,
): Promise<Buffer> {
  const decode = decoderOf(request, mayBeCompressed);
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) throw tooLarge(maxBytes);
  if (/^100-continue$/i.test(request.headers.expect ?? '')) response.writeContinue();
  const timer = setTimeout(refuseAsLate, timeoutMs, request);
  try {
    const bytes = await collect(request, maxBytes);
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

async function collect(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of chunksOf(request)) {
      length += chunk.length;
      if (length > maxBytes) throw tooLarge(maxBytes);
      chunks.push(chunk);
    }
  } catch (error) {
    if (error instanceof ApiError) throw error;
    throw validationError([{ path: '', message: 'ends before its Content-Length' }]);
  }
  return Buffer.concat(chunks, length);
}

/**
 * Yields the body of a request: in each turn of the event loop, all that has arrived. A flowing stream
 * would emit two megabytes of small chunks in one turn. The caller may stop before the end, and respond.
 */
export async function* chunksOf(request: IncomingMessage): AsyncGenerator<Buffer> {
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    yield chunk;
    await yieldToEventLoop();
  }
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
