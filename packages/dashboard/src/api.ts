import { Shorty, ShortyError } from '@shorty/sdk';

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

/** Returns what went wrong, for people. */
export function describeError(error: unknown): string {
  if (error instanceof ShortyError) return error.message;
  return error instanceof Error ? error.message : String(error);
}
