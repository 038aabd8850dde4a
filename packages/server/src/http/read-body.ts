import type { IncomingMessage, ServerResponse } from 'node:http';
import { ApiError, shorten, validationError } from '../contract/api-error.js';
import { yieldToEventLoop } from '../yield-to-event-loop.js';
import { answerMalformed } from './answer-malformed.js';

/** The limit of public routes, which read credentials or a password. */
export const maxPublicBodyBytes = 8 * 1024;

/** The limit of authenticated routes: 100 links with every field at its limit. */
export const maxBodyBytes = 4 * 1024 * 1024;

const smallBytes = 16 * 1024;

export interface BodyLimits {
  readonly maxBytes: number;
  readonly timeoutMs: number;
}

/** Returns whether a body may take much memory: one that is long or of unknown length. */
export function mayBeLarge({ headers }: IncomingMessage): boolean {
  const { 'transfer-encoding': transfer, 'content-length': length } = headers;
  return transfer !== undefined || Number(length ?? 0) > smallBytes;
}

/**
 * Reads the body of a request in slices that yield to the event loop. Throws PAYLOAD_TOO_LARGE,
 * UNSUPPORTED_MEDIA_TYPE or VALIDATION_FAILED; `drainAfter` then reads the rest.
 */
export async function readBody(
  request: IncomingMessage,
  response: ServerResponse,
  { maxBytes, timeoutMs }: BodyLimits,
): Promise<Buffer> {
  const { headers } = request;
  const coding = (headers['content-encoding'] ?? 'identity').trim().toLowerCase();
  if (coding !== 'identity' && coding !== '') {
    const message = `Content-Encoding "${shorten(coding)}": must be identity`;
    throw new ApiError('UNSUPPORTED_MEDIA_TYPE', message);
  }
  if (Number(headers['content-length'] ?? 0) > maxBytes) throw tooLarge(maxBytes);
  if (/^100-continue$/i.test(headers.expect ?? '')) response.writeContinue();
  const timer = setTimeout(refuseAsLate, timeoutMs, request);
  try {
    return await collect(request, maxBytes);
  } finally {
    clearTimeout(timer);
  }
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
