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
    const handler = new ResponseReader(request, timeoutMs, resolve, reject);
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

class ResponseReader implements Dispatcher.DispatchHandler {
  readonly #request: GuardedRequest;
  readonly #resolve: (response: GuardedResponse) => void;
  readonly #reject: (error: unknown) => void;
  readonly #timer: NodeJS.Timeout;
  readonly #chunks: Buffer[] = [];
  #controller: Dispatcher.DispatchController | undefined;
  #isSettled = false;
  #status = 0;
  #informational = 0;
  #headers: IncomingHttpHeaders = {};
  #size = 0;

  constructor(
    request: GuardedRequest,
    timeoutMs: number,
    resolve: (response: GuardedResponse) => void,
    reject: (error: unknown) => void,
  ) {
    this.#request = request;
    this.#resolve = resolve;
    this.#reject = reject;
    this.#timer = setTimeout(() => {
      const what = this.#status === 0 ? 'No response' : 'No complete response';
      this.#fail(new GuardedFetchError('timeout', `${what} within ${request.timeoutMs} ms`));
    }, timeoutMs);
    request.signal?.addEventListener('abort', this.#onAbort);
    if (request.signal?.aborted) this.#onAbort();
  }

  readonly #onAbort = () => this.#fail(this.#request.signal?.reason);

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    // undici cannot abort a request while it connects.
    if (this.#isSettled) controller.abort(new Error('cancelled'));
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    status: number,
    headers: IncomingHttpHeaders,
  ): void {
    if (status < 200) {
      this.#countInformational(controller);
      return;
    }
    this.#status = status;
    this.#headers = headers;
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    const { maxResponseBytes } = this.#request;
    const free = maxResponseBytes - this.#size;
    this.#size += chunk.length;
    if (free > 0) this.#chunks.push(chunk.length > free ? chunk.subarray(0, free) : chunk);
    if (this.#size <= maxResponseBytes + drainBytes) return;
    this.#succeed();
    controller.abort(new Error('the response is long enough'));
  }

  onResponseEnd(): void {
    this.#succeed();
  }

  onResponseError(_controller: unknown, error: Error): void {
    this.#fail(toGuardedFetchError(error));
  }

  #countInformational(controller: Dispatcher.DispatchController): void {
    this.#informational += 1;
    if (this.#informational <= maxInformational) return;
    const message = `The receiver sent more than ${maxInformational} informational responses`;
    this.#fail(new GuardedFetchError('protocol', message));
    controller.abort(new Error('too many informational responses'));
  }

  #succeed(): void {
    if (!this.#settle()) return;
    this.#resolve({
      status: this.#status,
      headers: this.#headers,
      body: Buffer.concat(this.#chunks),
      isCut: this.#size > this.#request.maxResponseBytes,
    });
  }

  #fail(error: unknown): void {
    if (!this.#settle()) return;
    this.#reject(error);
    this.#controller?.abort(new Error('cancelled'));
  }

  /** Returns true the first time only. */
  #settle(): boolean {
    if (this.#isSettled) return false;
    this.#isSettled = true;
    clearTimeout(this.#timer);
    this.#request.signal?.removeEventListener('abort', this.#onAbort);
    return true;
  }
}
