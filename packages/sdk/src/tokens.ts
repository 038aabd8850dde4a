import { TimeoutError, UnexpectedResponseError } from './errors.js';
import { exchange } from './exchange.js';
import type { Ports } from './ports.js';
import { readResponse } from './read-response.js';
import { runWithin, settleOrAbort } from './run-within.js';
import type { Settings } from './settings.js';
import type { Token, TokenRequest } from './types.js';

const renewBeforeMs = 60_000;
const path = '/api/v1/auth/token';

/** Provides access tokens. */
export interface Tokens {
  get(signal: AbortSignal): Promise<string>;
  /** Discards a refused token. Returns whether another one can be requested. */
  drop(token: string): boolean;
}

export function createTokens(settings: Settings, ports: Ports): Tokens {
  const { credentials } = settings;
  if ('accessToken' in credentials) {
    return { get: async () => credentials.accessToken, drop: () => false };
  }
  return new FetchedTokens(credentials, settings, ports);
}

interface Flight {
  readonly token: Promise<string>;
  readonly controller: AbortController;
  waiting: number;
}

/**
 * Requests tokens with client credentials. Calls that need a token at the same time share one
 * request. This class does not retry it: each waiting call retries within its own limits.
 */
class FetchedTokens implements Tokens {
  readonly #credentials: TokenRequest;
  readonly #settings: Settings;
  readonly #ports: Ports;
  #current: { readonly token: string; readonly renewAt: number } | undefined;
  #flight: Flight | undefined;

  constructor(credentials: TokenRequest, settings: Settings, ports: Ports) {
    this.#credentials = credentials;
    this.#settings = settings;
    this.#ports = ports;
  }

  async get(signal: AbortSignal): Promise<string> {
    if (this.#current && this.#ports.monotonicMs() < this.#current.renewAt) {
      return this.#current.token;
    }
    this.#flight ??= this.#start();
    const flight = this.#flight;
    flight.waiting++;
    try {
      return await settleOrAbort(flight.token, signal);
    } finally {
      flight.waiting--;
      // A request that no call waits for must not keep the process alive. One that has settled is not
      // aborted: edge runtimes refuse that in another request than the one that started it.
      if (flight.waiting === 0 && this.#flight === flight) {
        this.#flight = undefined;
        flight.controller.abort();
      }
    }
  }

  drop(token: string): boolean {
    if (this.#current?.token === token) this.#current = undefined;
    return true;
  }

  #start(): Flight {
    const controller = new AbortController();
    const { timeoutMs } = this.#settings.limits;
    const createTimeoutError = () =>
      new TimeoutError(`POST ${path} was not answered within ${timeoutMs} ms`);
    const limits = { signal: controller.signal, timeoutMs, createTimeoutError };
    const flight: Flight = {
      token: runWithin(limits, this.#ports, (signal) => this.#fetch(signal)).finally(() => {
        if (this.#flight === flight) this.#flight = undefined;
      }),
      controller,
      waiting: 0,
    };
    return flight;
  }

  async #fetch(signal: AbortSignal): Promise<string> {
    const startedAt = this.#ports.monotonicMs();
    const headers = new Headers(this.#settings.headers);
    headers.set('accept', 'application/json');
    headers.set('content-type', 'application/json');
    const request = {
      method: 'POST',
      path,
      attempt: 1,
      isPublic: true,
      url: this.#settings.baseUrl + path,
      headers,
      body: JSON.stringify(this.#credentials),
    };
    const incoming = await exchange(request, undefined, signal, this.#settings, this.#ports);
    const token = readResponse<Token>(incoming, `POST ${path}`, this.#ports.epochMs());
    const { accessToken, expiresIn } = token;
    if (typeof accessToken !== 'string' || !(expiresIn > 0)) {
      const { status, requestId } = incoming;
      throw new UnexpectedResponseError(`POST ${path} returned no token`, { status, requestId });
    }
    const lifetimeMs = expiresIn * 1000;
    const renewAt = startedAt + lifetimeMs - Math.min(renewBeforeMs, lifetimeMs / 2);
    this.#current = { token: accessToken, renewAt };
    return accessToken;
  }
}
