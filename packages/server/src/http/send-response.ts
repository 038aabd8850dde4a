import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ApiError } from '../contract/api-error.js';
import { pageHeaders } from '../pages/page.js';
import { withSecurityHeaders } from '../pages/security-headers.js';
import { errorBody, errorHeaders } from './error-response.js';
import { requestIdOf } from './request-id.js';

/** Sends a page to a request that is handled without Express. */
export function sendPage(
  request: IncomingMessage,
  response: ServerResponse,
  status: number,
  page: string,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, [
    ...pageHeaders,
    ...Object.entries(headers).flat(),
    'X-Request-Id',
    requestIdOf(request.headers['x-request-id']),
    'Content-Length',
    String(Buffer.byteLength(page)),
  ]);
  response.end(request.method === 'HEAD' ? undefined : page);
}

const errorHeaderFields = withSecurityHeaders({
  'Content-Type': 'application/json; charset=utf-8',
  'Cache-Control': 'no-store',
});

/** Sends an error response to a request that is handled without Express. */
export function sendError(
  request: IncomingMessage,
  response: ServerResponse,
  error: ApiError,
): void {
  const requestId = requestIdOf(request.headers['x-request-id']);
  const body = JSON.stringify(errorBody(error, requestId));
  response.writeHead(error.status, [
    ...errorHeaderFields,
    ...Object.entries(errorHeaders(error)).flat(),
    'X-Request-Id',
    requestId,
    'Content-Length',
    String(Buffer.byteLength(body)),
  ]);
  response.end(request.method === 'HEAD' ? undefined : body);
}
