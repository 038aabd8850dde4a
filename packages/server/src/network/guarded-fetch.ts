import type { ResolveDns } from '../ports.js';
import { ConnectionPool } from './connection-pool.js';
import { createAddressResolver } from './dns-resolver.js';
import { exchange, type GuardedRequest, type GuardedResponse } from './exchange.js';
import { guardedConnector } from './guarded-connector.js';
import { GuardedFetchError } from './guarded-fetch-error.js';
import { parseUrl } from './parse-url.js';
import { findUrlError } from './receiver-url.js';

export interface GuardedFetchOptions {
  /** Also allows private and local addresses, for development. */
  readonly allowPrivateNetwork: boolean;
  readonly resolve?: ResolveDns;
}

/** Sends requests to URLs that users choose, such as receivers and logos. */
export interface GuardedFetch {
  /** Throws a GuardedFetchError, or a PoolClosedError once the fetch is closed. */
  request(url: string | URL, request: GuardedRequest): Promise<GuardedResponse>;
  /** Ends all requests in flight, and closes all connections. */
  close(): void;
}

const lookupTimeoutMs = 5_000;

/**
 * Creates a fetch that reaches public addresses only, by http and https. It checks every URL, every
 * redirect, and the address of every new connection.
 */
export function createGuardedFetch(options: GuardedFetchOptions): GuardedFetch {
  const { allowPrivateNetwork } = options;
  const resolve =
    options.resolve ?? createAddressResolver({ servers: undefined, timeoutMs: lookupTimeoutMs });
  const pool = new ConnectionPool(guardedConnector({ allowPrivateNetwork, resolve }));

  return {
    async request(url, request) {
      const { method, timeoutMs, followRedirects = 0 } = request;
      const deadline = performance.now() + timeoutMs;
      let leftMs = timeoutMs;
      const first = parseUrl(String(url));
      if (!first) throw new GuardedFetchError('bad_url', 'The URL is not valid');
      let target = first;
      for (let redirects = 0; ; redirects += 1) {
        const urlError = findUrlError(target, options);
        if (urlError) throw new GuardedFetchError(urlError.reason, `The URL ${urlError.message}`);
        const response = await exchange(pool, target, request, { timeoutMs: leftMs, deadline });
        const next = followRedirects > 0 && method !== 'POST' && locationOf(target, response);
        if (!next) return response;
        if (redirects === followRedirects) {
          throw new GuardedFetchError(
            'protocol',
            `The response redirects more than ${redirects} times`,
          );
        }
        target = next;
        leftMs = deadline - performance.now();
      }
    },
    close: () => pool.close(),
  };
}

const redirectStatuses = new Set([301, 302, 303, 307, 308]);

function locationOf(from: URL, { status, headers }: GuardedResponse): URL | undefined {
  const { location } = headers;
  if (!redirectStatuses.has(status) || typeof location !== 'string') return undefined;
  const next = parseUrl(location, from);
  if (!next) throw new GuardedFetchError('protocol', 'The response redirects to an invalid URL');
  return next;
}
