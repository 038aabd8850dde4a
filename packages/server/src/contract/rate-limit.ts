import { ApiError } from './api-error.js';

/** The state of a rate limit after one request. */
export interface RateLimit {
  /** Requests in one window. */
  readonly limit: number;
  readonly windowSeconds: number;
  readonly remaining: number;
  /** Seconds until the full limit is available again; after a refusal, until a request is accepted. */
  readonly resetSeconds: number;
}

const fields = {
  'RateLimit-Limit': {
    description: 'Requests that the organization may make in one window.',
    of: ({ limit }: RateLimit) => limit,
  },
  'RateLimit-Policy': {
    description: 'The limit and the window in seconds: `6000;w=60`.',
    of: ({ limit, windowSeconds }: RateLimit) => `${limit};w=${windowSeconds}`,
  },
  'RateLimit-Remaining': {
    description: 'Requests that are left in the window.',
    of: ({ remaining }: RateLimit) => remaining,
  },
  'RateLimit-Reset': {
    description:
      'Seconds until the full limit is available again; after a 429, until the next request is accepted.',
    of: ({ resetSeconds }: RateLimit) => resetSeconds,
  },
} as const;

/** The header fields of `draft-ietf-httpapi-ratelimit-headers-06` with their descriptions. */
export const rateLimitFields: Readonly<Record<string, { readonly description: string }>> = fields;

export function rateLimitHeaders(state: RateLimit): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, { of }]) => [name, String(of(state))]),
  );
}

/** Returns RATE_LIMITED with the headers that say when to retry. */
export function rateLimitedError(message: string, state: RateLimit): ApiError {
  return new ApiError('RATE_LIMITED', message, {
    headers: { ...rateLimitHeaders(state), 'Retry-After': String(state.resetSeconds) },
  });
}
