import { createTimeout, UnexpectedResponseError } from './errors.js';
import type { Incoming } from './exchange.js';
import type { Ports } from './ports.js';
import { readResponse } from './read-response.js';
import { runWithin, settleOrAbort } from './run-within.js';
import type { ClientCredentials, Settings } from './settings.js';
import type { Token } from './types.js';

/** The operation that exchanges client credentials for a token. */
export const createToken = 'POST /api/v1/auth/token';

const renewBeforeMs = 60_000;

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

interface Flight {
  readonly token: Promise<string>;
  readonly controller: AbortController;
  waiting: number;
}

/**
 * Returns the given token, or requests tokens with client credentials. Calls that need a token at the
 * same time share one request, which is not retried: each waiting call retries within its own limits.
 */
export function createTokens(
  { credentials, limits: { timeoutMs } }: Settings,
  ports: Ports,
  request: RequestToken,
): Tokens {
  if ('accessToken' in credentials) {
    return { get: () => credentials.accessToken, drop: () => false };
  }
  let current: { readonly token: string; readonly renewAt: number } | undefined;
  let flight: Flight | undefined;

  const fetchToken = async (signal: AbortSignal): Promise<string> => {
    const startedAt = ports.monotonicMs();
    const incoming = await request(credentials, signal);
    const { accessToken: token, expiresIn } = readResponse<Token>(
      incoming,
      createToken,
      ports.epochMs(),
    );
    if (typeof token !== 'string' || !(expiresIn > 0)) {
      const { status, requestId } = incoming.response;
      const message = `${createToken} returned no token`;
      throw new UnexpectedResponseError(message, { status, requestId });
    }
    const lifetimeMs = expiresIn * 1000;
    const renewAt = startedAt + lifetimeMs - Math.min(renewBeforeMs, lifetimeMs / 2);
    current = { token, renewAt };
    return token;
  };

  const start = (): Flight => {
    const controller = new AbortController();
    const { signal } = controller;
    const createTimeoutError = () => createTimeout(createToken, `${timeoutMs} ms`);
    const started: Flight = {
      token: runWithin({ signal, timeoutMs, createTimeoutError }, ports, fetchToken).finally(() => {
        if (flight === started) flight = undefined;
      }),
      controller,
      waiting: 0,
    };
    return started;
  };

  return {
    async get(signal) {
      if (current && ports.monotonicMs() < current.renewAt) return current.token;
      flight ??= start();
      const shared = flight;
      shared.waiting++;
      try {
        return await settleOrAbort(shared.token, signal);
      } finally {
        // A request that no call waits for must not keep the process alive. One that has settled is
        // not aborted: edge runtimes refuse that in another request than the one that started it.
        if (--shared.waiting === 0 && flight === shared) {
          flight = undefined;
          shared.controller.abort();
        }
      }
    },
    drop(token) {
      if (current?.token === token) current = undefined;
      return true;
    },
  };
}
