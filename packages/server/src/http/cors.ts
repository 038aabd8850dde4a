import type { RequestHandler } from 'express';
import { rateLimitFields } from '../contract/rate-limit.js';

/** The origins that may call the API: any (`'*'`), or those of a list. */
export type CorsOrigins = '*' | readonly string[];

const methods = 'GET, HEAD, POST, PUT, PATCH, DELETE';

// Browsers show scripts only these headers, and a few common ones such as Content-Type.
const exposedHeaders = [
  ...Object.keys(rateLimitFields),
  'Retry-After',
  'X-Request-Id',
  'ETag',
  'Location',
  'Idempotent-Replayed',
].join(', ');

// Two hours: the longest that Chromium accepts.
const maxAgeSeconds = 7_200;

// Names of header fields, which a preflight lists. Browsers send far fewer.
const headerNames = /^[\w-]+(?:, ?[\w-]+)*$/;
const maxHeaderNamesLength = 1_024;

/**
 * Lets scripts of other origins call the API (the Fetch standard, "CORS protocol"). Credentials of the
 * browser are never allowed: scripts send an access token or an API key themselves.
 */
export function createCors(origins: CorsOrigins): RequestHandler {
  const isAllowed = (origin: string) => origins === '*' || origins.includes(origin);
  return (request, response, next) => {
    const { origin } = request.headers;
    // Also without an Origin, because a cache may serve the response to a request with one.
    if (origins !== '*') response.vary('Origin');
    if (origin === undefined || !isAllowed(origin)) {
      next();
      return;
    }
    response.set({
      'Access-Control-Allow-Origin': origins === '*' ? '*' : origin,
      'Access-Control-Expose-Headers': exposedHeaders,
    });
    const isPreflight =
      request.method === 'OPTIONS' && request.headers['access-control-request-method'];
    if (!isPreflight) {
      next();
      return;
    }
    const names = request.headers['access-control-request-headers'] ?? '';
    response.set({
      'Access-Control-Allow-Methods': methods,
      'Access-Control-Max-Age': String(maxAgeSeconds),
      ...(names.length <= maxHeaderNamesLength &&
        headerNames.test(names) && { 'Access-Control-Allow-Headers': names }),
    });
    response.status(204).end();
  };
}
