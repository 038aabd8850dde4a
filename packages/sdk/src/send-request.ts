import { ApiPromise, type WithResponse } from './api-promise.js';
import { describeCall, ShortyConfigError, TimeoutError } from './errors.js';
import { exchange, type Incoming, type Outgoing } from './exchange.js';
import type { RequestOptions } from './options.js';
import type { Ports } from './ports.js';
import { type Read, readResponse } from './read-response.js';
import { isRetryable, retryDelay } from './retry-delay.js';
import { runWithin, wait } from './run-within.js';
import { createHeaders, type RequestLimits, readLimits, type Settings } from './settings.js';
import { createTokens, type Tokens } from './tokens.js';

/** One call of the API, which may need several attempts. */
export interface ApiRequest {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** The unescaped segments after `/api/v1`, or after `/api` for a public request. */
  readonly path: readonly (string | number)[];
  /** Whether it is sent without a token. */
  readonly isPublic?: boolean;
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>> | undefined;
  readonly body?: unknown;
}

/** Sends calls, and retries them within the limits. */
export class Transport {
  readonly #settings: Settings;
  readonly #ports: Ports;
  readonly #tokens: Tokens;

  constructor(settings: Settings, ports: Ports) {
    this.#settings = settings;
    this.#ports = ports;
    this.#tokens = createTokens(settings, ports);
  }

  send<T>(
    request: ApiRequest,
    options: RequestOptions = {},
    read: Read<T> = readResponse,
  ): ApiPromise<T> {
    // An error is created when the response is read. Its own stack lacks the frames of the caller.
    const callSite = new Error();
    return new ApiPromise<T>(this.#send(request, options, read, callSite));
  }

  async #send<T>(
    request: ApiRequest,
    options: RequestOptions,
    read: Read<T>,
    callSite: Error,
  ): Promise<WithResponse<T>> {
    const { signal } = options;
    const { hooks, maxRetryDelayMs } = this.#settings;
    const limits = readLimits(options, this.#settings.limits);
    const prepared = this.#prepare(request, options);
    const { method, path } = prepared;
    const deadlineAt = this.#ports.monotonicMs() + limits.deadlineMs;
    let lastError: unknown;
    for (let attempt = 1; ; attempt++) {
      try {
        const outgoing = { ...prepared, attempt };
        return await this.#attempt(outgoing, limits, deadlineAt, signal, lastError, read);
      } catch (caught) {
        signal?.throwIfAborted();
        const error = describeCall(caught, { method, path, attempts: attempt }, callSite);
        if (!isRetryable(error) || attempt > limits.maxRetries) throw error;
        const { random, monotonicMs } = this.#ports;
        const delayMs = retryDelay(attempt - 1, error.retryAfterMs, maxRetryDelayMs, random);
        const leftMs = deadlineAt - monotonicMs();
        // The server would also refuse an attempt before the time that it asked for.
        if (delayMs > maxRetryDelayMs || delayMs >= leftMs) throw error;
        lastError = error;
        const createTimeoutError = () =>
          describeCall(
            deadlineError(prepared, limits, error),
            { method, path, attempts: attempt },
            callSite,
          );
        const pause = { signal, timeoutMs: leftMs, createTimeoutError };
        // The limits hold for the hook, too.
        await runWithin(pause, this.#ports, async (within) => {
          await hooks.onRetry?.({ method, path, attempt, delayMs, error });
          await wait(delayMs, within, this.#ports);
        });
      }
    }
  }

  #prepare(request: ApiRequest, options: RequestOptions): Omit<Outgoing, 'attempt'> {
    const { method, body, isPublic = false } = request;
    const path = `/api/${isPublic ? '' : 'v1/'}${request.path.map(escapeSegment).join('/')}`;
    const query = new URLSearchParams();
    for (const [name, value] of Object.entries(request.query ?? {})) {
      if (value !== undefined) query.set(name, String(value));
    }
    const headers = createHeaders('headers', this.#settings.headers);
    createHeaders('headers', options.headers ?? {}).forEach((value, name) => {
      headers.set(name, value);
    });
    headers.set('accept', isPublic ? 'image/*, application/json' : 'application/json');
    if (body !== undefined) headers.set('content-type', 'application/json');
    if (method === 'POST') {
      const key = options.idempotencyKey ?? this.#ports.newKey();
      if (!/^[\x21-\x7e]{1,255}$/.test(key)) {
        throw new ShortyConfigError('idempotencyKey', 'must be 1 to 255 visible ASCII characters');
      }
      headers.set('idempotency-key', key);
    }
    const url = this.#settings.baseUrl + path + (query.size > 0 ? `?${query}` : '');
    return {
      method,
      path,
      isPublic,
      url,
      headers,
      body: body === undefined ? undefined : JSON.stringify(body),
    };
  }

  #attempt<T>(
    outgoing: Outgoing,
    limits: RequestLimits,
    deadlineAt: number,
    signal: AbortSignal | undefined,
    cause: unknown,
    read: Read<T>,
  ): Promise<WithResponse<T>> {
    const { method, path } = outgoing;
    const leftMs = deadlineAt - this.#ports.monotonicMs();
    const isLast = leftMs < limits.timeoutMs;
    const createTimeoutError = () =>
      isLast
        ? deadlineError(outgoing, limits, cause)
        : new TimeoutError(`${method} ${path} was not answered within ${limits.timeoutMs} ms`, {
            cause,
          });
    const timeoutMs = isLast ? Math.max(0, leftMs) : limits.timeoutMs;
    return runWithin({ signal, timeoutMs, createTimeoutError }, this.#ports, async (within) => {
      const incoming = outgoing.isPublic
        ? await exchange(outgoing, undefined, within, this.#settings, this.#ports)
        : await this.#authorized(outgoing, within);
      const { body: _, ...response } = incoming;
      const data = read(incoming, `${method} ${path}`, this.#ports.epochMs());
      return { data, response };
    });
  }

  /** Sends a request with a token. If the server refuses the token, repeats it once with a new one. */
  async #authorized(outgoing: Outgoing, signal: AbortSignal): Promise<Incoming> {
    for (let isRenewed = false; ; isRenewed = true) {
      const token = await this.#tokens.get(signal);
      const incoming = await exchange(outgoing, token, signal, this.#settings, this.#ports);
      if (incoming.status !== 401 || isRenewed || !this.#tokens.drop(token)) return incoming;
    }
  }
}

function deadlineError(
  { method, path }: Pick<Outgoing, 'method' | 'path'>,
  { deadlineMs }: RequestLimits,
  cause: unknown,
): TimeoutError {
  const message = `${method} ${path} was not answered within ${deadlineMs} ms, including retries`;
  return new TimeoutError(message, { cause });
}

function escapeSegment(segment: string | number): string {
  const text = encodeURIComponent(segment);
  // URL parsers resolve `.` and `..`, even if they are escaped. That would change the path.
  if (/^\.{0,2}$/.test(text)) throw new ShortyConfigError('id', `cannot be "${text}"`);
  return text;
}
