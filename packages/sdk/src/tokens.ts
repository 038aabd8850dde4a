import { createTimeout, UnexpectedResponseError } from './errors.js';
import type { Incoming } from './exchange.js';
import { createToken } from './generated/routes.js';
import type { Ports } from './ports.js';
import { readResponse } from './read-response.js';
import { runWithin, settleOrAbort } from './run-within.js';
import type { ClientCredentials, Settings } from './settings.js';

/** Sends the request for a token. */
export type RequestToken = (
  credentials: ClientCredentials,
  signal: AbortSignal,
) => Promise<Incoming>;

/** Provides access tokens. */
export interface Tokens {
  get(signal: AbortSignal): string | Promise<string>;
  /** Discards a refused token. Returns whether another one can be requested. */
  drop(token: string): boolean;
}

/** Returns the given token, or requests tokens with client credentials. */
export function createTokens(
  { credentials, limits }: Settings,
  ports: Ports,
  request: RequestToken,
): Tokens {
  if ('accessToken' in credentials) {
    return { get: () => credentials.accessToken, drop: () => false };
  }
  let tokens: Tokens | undefined;
  return {
    async get(signal) {
      // Loaded on demand: a program with an API key does not need it.
      const { createClientTokens } = await import('./client-tokens.js');
      tokens ??= createClientTokens(credentials, limits, ports, request, {
        createTimeout,
        createToken,
        readResponse,
        runWithin,
        settleOrAbort,
        UnexpectedResponseError,
      });
      return tokens.get(signal);
    },
    drop: (token) => tokens?.drop(token) === true,
  };
}
