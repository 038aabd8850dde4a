import type { ServerResponse } from 'node:http';
import type { ApiError } from '../contract/api-error.js';
import type { Page } from '../pages/page.js';
import { securityHeaders } from '../pages/security-headers.js';
import { errorBody, errorHeaders } from './error-response.js';
import { stableRequestIdOf } from './request-id.js';

type Headers = Readonly<Record<string, string>>;

/**
 * Reports an error and calls `respond`, or closes the connection when a response has started. Never
 * throws, because no caller could handle that.
 */
export function respondToError(
  response: ServerResponse,
  error: unknown,
  onError: (error: unknown, requestId: string) => void,
  respond: () => void,
): void {
  const requestId = stableRequestIdOf(response.req);
  onError(error, requestId);
  try {
    if (response.headersSent || response.destroyed) response.destroy();
    else respond();
  } catch (second) {
    onError(second, requestId);
    response.destroy();
  }
}

export function sendPage(
  response: ServerResponse,
  status: number,
  page: Page,
  headers: Headers = {},
): void {
  send(response, status, { ...page.headers, ...headers }, page.html);
}

export function sendError(response: ServerResponse, error: ApiError): void {
  const body = errorBody(error, stableRequestIdOf(response.req));
  const headers = {
    ...securityHeaders,
    'Content-Type': 'application/json; charset=utf-8',
    'Cache-Control': 'no-store',
    ...errorHeaders(error),
  };
  send(response, error.status, headers, JSON.stringify(body));
}

/** Sends a file that is the same for every visitor. */
export function sendFile(
  response: ServerResponse,
  content: string | Uint8Array,
  headers: Headers,
  cacheControl: string,
): void {
  send(response, 200, { ...securityHeaders, 'Cache-Control': cacheControl, ...headers }, content);
}

function send(
  response: ServerResponse,
  status: number,
  headers: Headers,
  content: string | Uint8Array,
): void {
  response.writeHead(status, {
    ...headers,
    'X-Request-Id': stableRequestIdOf(response.req),
    'Content-Length': Buffer.byteLength(content),
  });
  response.end(response.req.method === 'HEAD' ? undefined : content);
}
