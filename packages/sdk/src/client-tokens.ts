import type { createTimeout, UnexpectedResponseError } from './errors.js';
import type { createToken } from './generated/routes.js';
import type { Ports } from './ports.js';
import type { readResponse } from './read-response.js';
import type { runWithin, settleOrAbort } from './run-within.js';
import type { ClientCredentials, Settings } from './settings.js';
import type { RequestToken, Tokens } from './tokens.js';
import type { Token } from './types.js';

const renewBeforeMs = 60_000;

/** Functions of the client. This module imports nothing, so it is a bundle's only additional file. */
export interface TokenFunctions {
  readonly createTimeout: typeof createTimeout;
  readonly createToken: typeof createToken;
  readonly readResponse: typeof readResponse;
  readonly runWithin: typeof runWithin;
  readonly settleOrAbort: typeof settleOrAbort;
  readonly UnexpectedResponseError: typeof UnexpectedResponseError;
}

interface Flight {
  readonly token: Promise<string>;
  readonly controller: AbortController;
  waiting: number;
}

/**
 * Requests tokens with client credentials. Calls that need a token at the same time share one
 * request, which is not retried: each waiting call retries within its own limits.
 */
export function createClientTokens(
  credentials: ClientCredentials,
  { timeoutMs }: Settings['limits'],
  ports: Ports,
  request: RequestToken,
  functions: TokenFunctions,
): Tokens {
  const { createTimeout, createToken, readResponse, runWithin, settleOrAbort } = functions;
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
      throw new functions.UnexpectedResponseError(`${createToken} returned no token`, {
        status,
        requestId,
      });
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
