import cors from 'cors';
import type { RequestHandler } from 'express';
import { rateLimitFields } from '../contract/rate-limit.js';

/** The origins that may call the API: any (`'*'`), or those of a list. */
export type CorsOrigins = '*' | readonly string[];

/**
 * Lets scripts of other origins call the API (the Fetch standard, "CORS protocol"). Credentials of the
 * browser are never allowed: scripts send an access token or an API key themselves.
 */
export function createCors(origins: CorsOrigins): RequestHandler {
  return cors({
    origin: origins === '*' ? '*' : [...origins],
    methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
    // Browsers show scripts only these headers, and a few common ones such as Content-Type.
    exposedHeaders: [
      ...Object.keys(rateLimitFields),
      'Retry-After',
      'X-Request-Id',
      'ETag',
      'Location',
      'Idempotent-Replayed',
    ],
    // Two hours: the longest that Chromium accepts.
    maxAge: 7_200,
  });
}
