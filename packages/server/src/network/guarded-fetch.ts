import type { IncomingHttpHeaders } from 'node:http';
import { Agent } from 'undici';
import type { ResolveDns } from '../ports.js';
import { createAddressResolver } from './dns-resolver.js';
import {
  FetchClosedError,
  GuardedFetchError,
  guardedConnector,
  toGuardedFetchError,
} from './guarded-connector.js';
import { parseUrl } from './parse-url.js';
import { findUrlError, type ReceiverRules } from './receiver-url.js';

export interface GuardedRequest {
  readonly method: 'GET' | 'HEAD' | 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array | string;
  /** Limits the whole request, from the look-up to the last byte of the response. */
  readonly timeoutMs: number;
  /**
   * Limits the wait for the body after the headers. A body that is not complete by then, or that
   * breaks off, is cut. Without it, such a body is an error.
   */
  readonly bodyTimeoutMs?: number;
  /** Limits the body in the response. A longer body is cut. */
  readonly maxResponseBytes: number;
  /** How many redirects of a GET are followed. Further ones fail; 0 returns them. */
  readonly followRedirects?: number;
}

export interface GuardedResponse {
  /** The URL that responded: after redirects, another one than that of the request. */
  readonly url: URL;
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Uint8Array;
  readonly isCut: boolean;
}

/** Sends requests to URLs that users choose, such as receivers and logos. */
export type GuardedFetch = ReturnType<typeof createGuardedFetch>;

const lookupTimeoutMs = 5_000;
// A connection is closed after this time, so its host is looked up again.
const maxAgeMs = 10_000;
// A body that is only a little too long is read to its end, so its connection can be reused.
const drainBytes = 64 * 1024;

/**
 * Creates a fetch that reaches public addresses only, by http and https. It checks every URL, every
 * redirect, and the address of every new connection.
 */
export function createGuardedFetch(options: ReceiverRules & { readonly resolve?: ResolveDns }) {
  const { allowPrivateNetwork } = options;
  const resolve =
    options.resolve ?? createAddressResolver({ servers: undefined, timeoutMs: lookupTimeoutMs });
  const agent = new Agent({
    connect: guardedConnector(allowPrivateNetwork, resolve),
    clientTtl: maxAgeMs,
    // Requests have their own time limits.
    headersTimeout: 0,
    bodyTimeout: 0,
  });

  return {
    /** Throws a GuardedFetchError, or a FetchClosedError once the fetch is closed. */
    async request(url: string, request: GuardedRequest): Promise<GuardedResponse> {
      const { method, timeoutMs, followRedirects = 0 } = request;
      const deadline = performance.now() + timeoutMs;
      let target = checkUrl(parseUrl(url), options);
      for (let redirects = 0; ; redirects += 1) {
        const response = await send(agent, target, request, deadline);
        const next = followRedirects > 0 && method !== 'POST' && locationOf(target, response);
        if (!next) return response;
        if (redirects === followRedirects) {
          const message = `The response redirects more than ${redirects} times`;
          throw new GuardedFetchError('protocol', message);
        }
        target = checkUrl(next, options);
      }
    },
    close(): void {
      // It rejects only if the agent is closed already.
      agent.destroy().catch(() => {});
    },
  };
}

/** Sends one request and reads its response before `deadline`. Does not follow redirects. */
async function send(
  agent: Agent,
  url: URL,
  request: GuardedRequest,
  deadline: number,
): Promise<GuardedResponse> {
  const { timeoutMs, bodyTimeoutMs = Number.POSITIVE_INFINITY, maxResponseBytes } = request;
  const ended = new AbortController();
  const limit = (what: string, ms: number) =>
    setTimeout(() => {
      ended.abort(new GuardedFetchError('timeout', `${what} within ${timeoutMs} ms`));
    }, ms);
  let timer = limit('No response', deadline - performance.now());
  try {
    const response = await requestTwice(agent, url, request, ended.signal);
    clearTimeout(timer);
    const remainingMs = Math.max(0, deadline - performance.now());
    timer = limit('No complete response', Math.min(bodyTimeoutMs, remainingMs));
    const { statusCode: status, headers } = response;
    // The headers suffice for a caller that limits the wait for the body.
    const mayBreakOff = request.bodyTimeoutMs !== undefined;
    const body = await readBody(response.body, maxResponseBytes, mayBreakOff);
    return { url, status, headers, ...body };
  } catch (error) {
    throw toGuardedFetchError(error);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Sends a request, and once more if the connection is closed before the response: a receiver may close an
 * idle connection while the request is on its way (RFC 9110 §9.2.2).
 */
async function requestTwice(
  agent: Agent,
  { origin, pathname, search }: URL,
  { method, headers = {}, body }: GuardedRequest,
  signal: AbortSignal,
) {
  const path = pathname + search;
  const once = () => agent.request({ origin, path, method, headers, body: body ?? null, signal });
  try {
    return await once();
  } catch (cause) {
    const error = toGuardedFetchError(cause);
    const isLost = error instanceof GuardedFetchError && error.reason === 'reset';
    if (!isLost || signal.aborted) throw error;
    return once();
  }
}

/** Reads a body up to the limit. With `mayBreakOff`, the part that has arrived suffices. */
async function readBody(stream: AsyncIterable<Buffer>, maxBytes: number, mayBreakOff: boolean) {
  const chunks: Buffer[] = [];
  let bytes = 0;
  let isBroken = false;
  try {
    for await (const chunk of stream) {
      if (bytes < maxBytes) chunks.push(chunk);
      bytes += chunk.length;
      // Closes the connection.
      if (bytes > maxBytes + drainBytes) break;
    }
  } catch (error) {
    if (!mayBreakOff || toGuardedFetchError(error) instanceof FetchClosedError) throw error;
    isBroken = true;
  }
  return {
    body: Buffer.concat(chunks).subarray(0, maxBytes),
    isCut: isBroken || bytes > maxBytes,
  };
}

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
