import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';
import { GuardedFetchError, toGuardedFetchError } from './guarded-fetch-error.js';

export interface GuardedRequest {
  readonly method: 'GET' | 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array | string;
  /** Limits the whole request, from the look-up to the last byte of the response. */
  readonly timeoutMs: number;
  /** Limits the body in the response. A longer body is cut. */
  readonly maxResponseBytes: number;
  readonly signal?: AbortSignal;
  /** How many redirects of a GET are followed. Further ones fail; 0 returns them. */
  readonly followRedirects?: number;
}

export interface GuardedResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Uint8Array;
  /** Whether the body was longer than `maxResponseBytes`. */
  readonly isCut: boolean;
}

// A body that is only a little too long is read to its end, so its connection can be reused.
const drainBytes = 64 * 1024;
// Without a limit, a receiver can send 1xx responses until the time limit.
const maxInformational = 10;

/**
 * Sends one request and reads its response within `timeoutMs`. Does not follow redirects. Uses
 * `dispatch`, because undici's `request` sends a third fewer requests per second.
 */
export function exchange(
  dispatcher: Dispatcher,
  url: URL,
  request: GuardedRequest,
  timeoutMs: number,
): Promise<GuardedResponse> {
  return new Promise((resolve, reject) => {
    const { maxResponseBytes, signal } = request;
    const chunks: Buffer[] = [];
    let running: Dispatcher.DispatchController | undefined;
    let isSettled = false;
    let status = 0;
    let informational = 0;
    let headers: IncomingHttpHeaders = {};
    let size = 0;

    /** Returns true the first time only. */
    function settle(): boolean {
      if (isSettled) return false;
      isSettled = true;
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
      return true;
    }
    function succeed(): void {
      if (!settle()) return;
      const isCut = size > maxResponseBytes;
      resolve({ status, headers, body: Buffer.concat(chunks), isCut });
    }
    function fail(error: unknown): void {
      if (!settle()) return;
      reject(error);
      running?.abort(new Error('cancelled'));
    }
    const onAbort = () => fail(signal?.reason);
    const timer = setTimeout(() => {
      const what = status === 0 ? 'No response' : 'No complete response';
      fail(new GuardedFetchError('timeout', `${what} within ${request.timeoutMs} ms`));
    }, timeoutMs);
    signal?.addEventListener('abort', onAbort);
    if (signal?.aborted) onAbort();

    const handler: Dispatcher.DispatchHandler = {
      onRequestStart(controller) {
        running = controller;
        // undici cannot abort a request while it connects.
        if (isSettled) controller.abort(new Error('cancelled'));
      },
      onResponseStart(_controller, received, receivedHeaders) {
        if (received >= 200) {
          status = received;
          headers = receivedHeaders;
          return;
        }
        informational += 1;
        if (informational <= maxInformational) return;
        const message = `The receiver sent more than ${maxInformational} informational responses`;
        fail(new GuardedFetchError('protocol', message));
      },
      onResponseData(controller, chunk) {
        const free = maxResponseBytes - size;
        size += chunk.length;
        if (free > 0) chunks.push(chunk.subarray(0, free));
        if (size <= maxResponseBytes + drainBytes) return;
        succeed();
        controller.abort(new Error('the response is long enough'));
      },
      onResponseEnd: () => succeed(),
      onResponseError: (_controller, error) => fail(toGuardedFetchError(error)),
    };
    dispatcher.dispatch(
      {
        origin: url.origin,
        path: url.pathname + url.search,
        method: request.method,
        headers: request.headers ?? null,
        body: request.body ?? null,
      },
      handler,
    );
  });
}
