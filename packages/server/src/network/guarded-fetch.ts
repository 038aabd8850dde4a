import type { IncomingHttpHeaders } from 'node:http';
import { Agent, type Dispatcher } from 'undici';
import type { ResolveDns } from '../ports.js';
import { createAddressResolver } from './dns-resolver.js';
import { guardedConnector } from './guarded-connector.js';
import { FetchClosedError, GuardedFetchError, toGuardedFetchError } from './guarded-fetch-error.js';
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
  /** Whether the body is incomplete. */
  readonly isCut: boolean;
}

export interface GuardedFetchOptions extends ReceiverRules {
  readonly resolve?: ResolveDns;
}

/** Sends requests to URLs that users choose, such as receivers and logos. */
export interface GuardedFetch {
  /** Throws a GuardedFetchError, or a FetchClosedError once the fetch is closed. */
  request(url: string | URL, request: GuardedRequest): Promise<GuardedResponse>;
  /** Ends all requests in flight, and closes all connections. */
  close(): void;
}

const lookupTimeoutMs = 5_000;
// A connection is closed after this time, so its host is looked up again.
const maxAgeMs = 10_000;
// A body that is only a little too long is read to its end, so its connection can be reused.
const drainBytes = 64 * 1024;

/**
 * Creates a fetch that reaches public addresses only, by http and https. It checks every URL, every
 * redirect, and the address of every new connection.
 */
export function createGuardedFetch(options: GuardedFetchOptions): GuardedFetch {
  const { allowPrivateNetwork } = options;
  const resolve =
    options.resolve ?? createAddressResolver({ servers: undefined, timeoutMs: lookupTimeoutMs });
  const agent = new Agent({
    connect: guardedConnector({ allowPrivateNetwork, resolve }),
    clientTtl: maxAgeMs,
    // Requests have their own time limits.
    headersTimeout: 0,
    bodyTimeout: 0,
  });

  return {
    async request(url, request) {
      const { method, timeoutMs, followRedirects = 0 } = request;
      const deadline = performance.now() + timeoutMs;
      let target = checkUrl(typeof url === 'string' ? parseUrl(url) : url, options);
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
    close() {
      // It rejects only if the agent is closed already.
      agent.destroy().catch(() => {});
    },
  };
}

/**
 * Sends one request and reads its response before `deadline`. Does not follow redirects. A receiver may
 * close an idle connection while the request is on its way. A request is therefore sent again, once, if
 * the connection was closed before the response (RFC 9110 §9.2.2).
 */
function send(
  agent: Agent,
  url: URL,
  { method, headers = {}, body, maxResponseBytes, ...limits }: GuardedRequest,
  deadline: number,
): Promise<GuardedResponse> {
  return new Promise((resolve, reject) => {
    let head: Pick<GuardedResponse, 'status' | 'headers'> | undefined;
    let controller: Dispatcher.DispatchController | undefined;
    let isOver = false;
    let isResent = false;
    const chunks: Buffer[] = [];
    let bytes = 0;
    let timer = setTimeout(expire, deadline - performance.now());

    /** Settles the request, once. */
    function finish(settle: () => void): void {
      if (isOver) return;
      isOver = true;
      clearTimeout(timer);
      settle();
    }

    function succeed(answered: NonNullable<typeof head>, isComplete: boolean): void {
      const body = Buffer.concat(chunks).subarray(0, maxResponseBytes);
      const isCut = !isComplete || bytes > maxResponseBytes;
      finish(() => resolve({ url, ...answered, body, isCut }));
    }

    /** Ends the request. The headers suffice for a caller that limits the wait for the body. */
    function fail(error: unknown): void {
      const isEnough = limits.bodyTimeoutMs !== undefined && !(error instanceof FetchClosedError);
      if (head && isEnough) succeed(head, false);
      else finish(() => reject(error));
    }

    function expire(): void {
      const what = head ? 'No complete response' : 'No response';
      const error = new GuardedFetchError('timeout', `${what} within ${limits.timeoutMs} ms`);
      fail(error);
      controller?.abort(error);
    }

    function dispatch(): void {
      const { origin, pathname, search } = url;
      const options = { origin, path: pathname + search, method, headers, body: body ?? null };
      agent.dispatch(options, handler);
    }

    const handler: Dispatcher.DispatchHandler = {
      onRequestStart(started) {
        controller = started;
        if (isOver) started.abort(new Error('the time limit of the request is over'));
      },
      onResponseStart(_controller, status, received) {
        if (status < 200) return;
        head = { status, headers: received };
        if (limits.bodyTimeoutMs === undefined) return;
        clearTimeout(timer);
        timer = setTimeout(expire, Math.min(limits.bodyTimeoutMs, deadline - performance.now()));
      },
      onResponseData(started, chunk) {
        if (bytes < maxResponseBytes) chunks.push(chunk);
        bytes += chunk.length;
        if (!head || bytes <= maxResponseBytes + drainBytes) return;
        succeed(head, false);
        started.abort(new Error('the response is too long'));
      },
      onResponseEnd() {
        if (head) succeed(head, true);
      },
      onResponseError(_controller, cause) {
        const error = toGuardedFetchError(cause);
        const isLost = error instanceof GuardedFetchError && error.reason === 'reset' && !head;
        if (isOver || isResent || !isLost) fail(error);
        else {
          isResent = true;
          dispatch();
        }
      },
    };
    dispatch();
  });
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
