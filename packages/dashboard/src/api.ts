import { Shorty } from '@shorty/sdk';

/** The API of the server that has sent the page, by the session of the browser. */
export const api = new Shorty({
  baseUrl: location.origin,
  // The cookie of the session counts only without a token, which the client requires.
  accessToken: 'session',
  fetch(input, init) {
    const headers = new Headers(init?.headers);
    headers.delete('authorization');
    return fetch(input, { ...init, headers });
  },
});

/** Returns a client that sends the operator key, and no cookie. */
export function operatorApi(apiKey: string): Shorty {
  return new Shorty({
    baseUrl: location.origin,
    apiKey,
    fetch: (input, init) => fetch(input, { ...init, credentials: 'omit' }),
  });
}

/** Returns what went wrong, for people. */
export const describeError = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);
