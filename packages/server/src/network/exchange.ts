import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';
import { GuardedFetchError, toGuardedFetchError } from './guarded-fetch-error.js';
import type { GuardedRequest, GuardedResponse } from './guarded-request.js';

// A body that is a little longer than what is kept of it is read to its end: the connection can be
// used again then.
const drainBytes = 64 * 1024;
// A receiver may send 1xx responses without end, as fast as they are parsed.
const maxInformational = 10;

/** One request and its answer, within the time given. No redirect is followed. */
export function exchange(
  dispatcher: Dispatcher,
  url: URL,
  request: GuardedRequest,
  timeoutMs: number,
): Promise<GuardedResponse> {
  return new Promise((resolve, reject) => {
    const handler = new AnswerReader(request, timeoutMs, resolve, reject);
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

class AnswerReader implements Dispatcher.DispatchHandler {
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
      const words = this.#status === 0 ? 'There was no answer' : 'The answer was not complete';
      this.#fail(new GuardedFetchError('timeout', `${words} within ${request.timeoutMs} ms`));
    }, timeoutMs);
    request.signal?.addEventListener('abort', this.#onAbort);
    if (request.signal?.aborted) this.#onAbort();
  }

  readonly #onAbort = () => this.#fail(this.#request.signal?.reason);

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    // A request cannot be taken back while its connection is being made, only when it begins.
    if (this.#isSettled) controller.abort(new Error('given up'));
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
    const { method, maxResponseBytes, onOversize } = this.#request;
    const bytes = method === 'HEAD' ? 0 : Number(headers['content-length']);
    if (onOversize === 'fail' && bytes > maxResponseBytes) this.#failOversize(controller);
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    const { maxResponseBytes, onOversize } = this.#request;
    const room = maxResponseBytes - this.#size;
    this.#size += chunk.length;
    if (room > 0) this.#chunks.push(chunk.length > room ? chunk.subarray(0, room) : chunk);
    if (this.#size <= maxResponseBytes) return;
    if (onOversize === 'fail') this.#failOversize(controller);
    else if (this.#size > maxResponseBytes + drainBytes) {
      this.#succeed();
      controller.abort(new Error('enough was read'));
    }
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
    const message = `There are more than ${maxInformational} informational responses`;
    this.#fail(new GuardedFetchError('protocol', message));
    controller.abort(new Error('too many informational responses'));
  }

  #failOversize(controller: Dispatcher.DispatchController): void {
    const { maxResponseBytes } = this.#request;
    const message = `The answer is larger than ${maxResponseBytes} bytes`;
    this.#fail(new GuardedFetchError('too_large', message));
    controller.abort(new Error('too large'));
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
    this.#controller?.abort(new Error('given up'));
  }

  /** True the first time. */
  #settle(): boolean {
    if (this.#isSettled) return false;
    this.#isSettled = true;
    clearTimeout(this.#timer);
    this.#request.signal?.removeEventListener('abort', this.#onAbort);
    return true;
  }
}
