import { ApiError } from './api-error.js';

export interface RateLimit {
  readonly limit: number;
  readonly windowSeconds: number;
  readonly remaining: number;
  /** Seconds until the full limit is available again. */
  readonly resetSeconds: number;
}

/** The header fields of `draft-ietf-httpapi-ratelimit-headers-06` with their descriptions. */
export const rateLimitFields = {
  'RateLimit-Limit': 'Requests that the organization may make in one window.',
  'RateLimit-Policy': 'The limit and the window in seconds: `6000;w=60`.',
  'RateLimit-Remaining': 'Requests that are left in the window.',
  'RateLimit-Reset': 'Seconds until the full limit is available again.',
} as const;

export function rateLimitHeaders(state: RateLimit): Record<keyof typeof rateLimitFields, string> {
  return {
    'RateLimit-Limit': String(state.limit),
    'RateLimit-Policy': `${state.limit};w=${state.windowSeconds}`,
    'RateLimit-Remaining': String(state.remaining),
    'RateLimit-Reset': String(state.resetSeconds),
  };
}

/** Returns RATE_LIMITED with the headers that say when to retry. */
export function rateLimitedError(message: string, state: RateLimit): ApiError {
  return new ApiError('RATE_LIMITED', message, {
    headers: { ...rateLimitHeaders(state), 'Retry-After': String(state.resetSeconds) },
  });
}
