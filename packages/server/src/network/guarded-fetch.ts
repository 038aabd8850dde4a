import { LRUCache } from 'lru-cache';
import type { ResolveDns } from '../ports.js';
import { ConnectionPool } from './connection-pool.js';
import { createAddressResolver } from './dns-resolver.js';
import { exchange, type GuardedRequest, type GuardedResponse } from './exchange.js';
import { guardedConnector } from './guarded-connector.js';
import { GuardedFetchError } from './guarded-fetch-error.js';
import { parseUrl } from './parse-url.js';
import { findUrlError, type ReceiverRules } from './receiver-url.js';

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
// A receiver gets many requests in a row. Parsing and checking its URL takes about 3 µs.
const maxCheckedUrls = 1_000;

/**
 * Creates a fetch that reaches public addresses only, by http and https. It checks every URL, every
 * redirect, and the address of every new connection.
 */
export function createGuardedFetch(options: GuardedFetchOptions): GuardedFetch {
  const { allowPrivateNetwork } = options;
  const resolve =
    options.resolve ?? createAddressResolver({ servers: undefined, timeoutMs: lookupTimeoutMs });
  const pool = new ConnectionPool(guardedConnector({ allowPrivateNetwork, resolve }));
  /** The parsed URLs that requests may be sent to. */
  const checkedUrls = new LRUCache<string, URL>({
    max: maxCheckedUrls,
    memoMethod: (text) => checkUrl(parseUrl(text), options),
  });

  return {
    async request(url, request) {
      const { method, timeoutMs, followRedirects = 0 } = request;
      const deadline = performance.now() + timeoutMs;
      let leftMs = timeoutMs;
      let target = checkedUrls.memo(String(url));
      for (let redirects = 0; ; redirects += 1) {
        const response = await exchange(pool, target, request, { timeoutMs: leftMs, deadline });
        const next = followRedirects > 0 && method !== 'POST' && locationOf(target, response);
        if (!next) return response;
        if (redirects === followRedirects) {
          throw new GuardedFetchError(
            'protocol',
            `The response redirects more than ${redirects} times`,
          );
        }
        target = checkUrl(next, options);
        leftMs = deadline - performance.now();
      }
    },
    close: () => pool.close(),
  };
}

/** Returns the URL. Throws a GuardedFetchError if no request may be sent to it. */
function checkUrl(url: URL | undefined, rules: ReceiverRules): URL {
  if (!url) throw new GuardedFetchError('bad_url', 'The URL is not valid');
  const error = findUrlError(url, rules);
  if (error) throw new GuardedFetchError(error.reason, `The URL ${error.message}`);
  return url;
}

const redirectStatuses = new Set([301, 302, 303, 307, 308]);

function locationOf(from: URL, { status, headers }: GuardedResponse): URL | undefined {
  const { location } = headers;
  if (!redirectStatuses.has(status) || typeof location !== 'string') return undefined;
  const next = parseUrl(location, from);
  if (!next) throw new GuardedFetchError('protocol', 'The response redirects to an invalid URL');
  return next;
}
