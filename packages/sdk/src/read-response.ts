import { createStatusError, UnexpectedResponseError } from './errors.js';
import type { Incoming } from './exchange.js';
import { readRetryAfter } from './retry-delay.js';
import type { ErrorResponse } from './types.js';

/** Returns the result of a response, or throws its error. */
export type Read<T> = (incoming: Incoming, request: string, nowMs: number) => T;

const snippetLength = 200;

/** Returns the data of a response, or throws its error. `request` names the request in messages. */
export function readResponse<T>(incoming: Incoming, request: string, nowMs: number): T {
  const { status, headers } = incoming;
  const text = new TextDecoder().decode(incoming.body);
  const body = parse(text);
  if (status >= 200 && status < 300) {
    if (isRecord(body) && body.success === true && 'data' in body) return body.data as T;
    throw new UnexpectedResponseError(
      `${request} answered ${status} without the data of the API${quote(text)}`,
      { status, requestId: incoming.requestId },
    );
  }
  const retryAfterMs = readRetryAfter(headers, nowMs);
  if (isErrorResponse(body)) {
    const { code, message, details } = body.error;
    const requestId = incoming.requestId ?? body.error.requestId;
    throw createStatusError(status, message, { code, details, requestId, retryAfterMs });
  }
  const location = headers.get('location');
  const rest = location ? ` with a redirect to ${location}: check the base URL` : quote(text);
  throw createStatusError(status, `${request} answered ${status}${rest}`, {
    requestId: incoming.requestId,
    retryAfterMs,
  });
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function isErrorResponse(body: unknown): body is ErrorResponse {
  if (!isRecord(body) || !isRecord(body.error)) return false;
  return typeof body.error.code === 'string' && typeof body.error.message === 'string';
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function quote(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  if (line === '') return ' with an empty body';
  return `: ${line.length > snippetLength ? `${line.slice(0, snippetLength)}…` : line}`;
}
