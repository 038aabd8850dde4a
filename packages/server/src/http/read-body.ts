import type { IncomingMessage, ServerResponse } from 'node:http';
import { ApiError, invalidField, shorten } from '../contract/api-error.js';
import { yieldToEventLoop } from '../yield-to-event-loop.js';
import { answerMalformed } from './answer-malformed.js';

/** The limit of public routes, which read credentials or a password. */
export const maxPublicBodyBytes = 8 * 1024;

/** The limit of authenticated routes: 100 links with every field at its limit. */
export const maxBodyBytes = 4 * 1024 * 1024;

const smallBytes = 16 * 1024;

/** Returns whether a body may take much memory: one that is long or of unknown length. */
export function mayBeLarge({ headers }: IncomingMessage): boolean {
  const { 'transfer-encoding': transfer, 'content-length': length } = headers;
  return transfer !== undefined || Number(length ?? 0) > smallBytes;
}

/**
 * Reads the body of a request in slices that yield to the event loop. Throws PAYLOAD_TOO_LARGE,
 * UNSUPPORTED_MEDIA_TYPE or VALIDATION_FAILED; `drainAfter` then reads the rest.
 */
export async function readBody(response: ServerResponse, maxBytes: number): Promise<Buffer> {
  const { req: request } = response;
  const { headers } = request;
  const coding = (headers['content-encoding'] ?? 'identity').trim().toLowerCase();
  if (coding !== 'identity' && coding !== '') {
    const message = `Content-Encoding "${shorten(coding)}": must be identity`;
    throw new ApiError('UNSUPPORTED_MEDIA_TYPE', message);
  }
  if (Number(headers['content-length'] ?? 0) > maxBytes) throw tooLarge(maxBytes);
  if (/^100-continue$/i.test(headers.expect ?? '')) response.writeContinue();
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
    throw invalidField('', 'ends before its Content-Length');
  }
  return Buffer.concat(chunks, length);
}

/**
 * Calls a function that reads a body. Answers with 408, as Node's own time limits do, unless the request is
 * complete after `maxMs`; the closed connection ends the read.
 */
export async function readWithin<T>(
  maxMs: number,
  { req: request }: ServerResponse,
  read: () => Promise<T>,
): Promise<T> {
  const timer = setTimeout(() => {
    if (!request.complete) answerMalformed(lateError, request.socket);
  }, maxMs);
  try {
    return await read();
  } finally {
    clearTimeout(timer);
  }
}

const lateError = Object.assign(new Error('late'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' });

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

function tooLarge(maxBytes: number): ApiError {
  return new ApiError('PAYLOAD_TOO_LARGE', `The body must be at most ${maxBytes} bytes`);
}

// Some clients send the whole body before they read the response.
const maxBytes = 32 * 1024 * 1024;
const maxMs = 5_000;

/** Returns whether a part of a request's body is unread, for example after an early refusal. */
export function hasUnreadBody(request: IncomingMessage): boolean {
  const { headers } = request;
  const mayHaveBody =
    headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;
  return mayHaveBody && !request.complete && !request.destroyed;
}

/**
 * Reads and discards the rest of a request's body after its response, so that the client gets the
 * response before the connection is closed. Node itself would read without a limit.
 */
export function drainAfter(request: IncomingMessage, response: ServerResponse): void {
  if (!hasUnreadBody(request)) return;
  // Node then leaves the body to this function.
  request.read(0);
  response.once('finish', () => {
    if (!request.complete) drain(request).catch(() => request.destroy());
  });
}

/** Closes the connection of a body that exceeds the limit of bytes or time. */
async function drain(request: IncomingMessage): Promise<void> {
  const timer = setTimeout(() => request.destroy(), maxMs);
  try {
    let length = 0;
    for await (const chunk of chunksOf(request)) {
      length += chunk.length;
      if (length > maxBytes) request.destroy();
    }
  } finally {
    clearTimeout(timer);
  }
}
