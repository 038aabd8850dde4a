import { ApiPromise, type WithResponse } from './api-promise.js';
import { buildTarget, toJson } from './build-target.js';
import type { RequestInput } from './calls.js';
import { checkOptions } from './check-options.js';
import { createTimeout, describeCall, refuse, ShortyConfigError } from './errors.js';
import { exchange, type Incoming, type Outgoing } from './exchange.js';
import { versioned } from './generated/contract.js';
import type { ChangeOptions } from './options.js';
import { type Page, PagedList } from './paginate.js';
import type { Ports } from './ports.js';
import { readResponse } from './read-response.js';
import { isRetryable, retryDelay } from './retry-delay.js';
import { runWithin, wait } from './run-within.js';
import { mergeHeaders, readLimits, requestOptions, type Settings } from './settings.js';
import { createToken, createTokens } from './tokens.js';

/** One call of the API, which may need several attempts. */
interface Call {
  /** The method and the path, which may contain `{names}` of parameters. */
  readonly route: string;
  readonly input: RequestInput;
  readonly options: ChangeOptions;
}

/** Sends calls, and retries them within the limits. */
export interface Transport {
  /** Calls an operation: a method and a path, which may contain `{names}` of parameters. */
  send<T>(route: string, input?: RequestInput, options?: ChangeOptions): ApiPromise<T>;
  /** Lists the items of an operation, by page. */
  list<Item, P extends Page<Item>>(
    route: string,
    input: RequestInput,
    options?: ChangeOptions,
  ): PagedList<Item, P>;
  /** Waits until the delay has passed or the signal is aborted. */
  readonly wait: (delayMs: number, signal: AbortSignal) => Promise<void>;
  readonly monotonicMs: () => number;
}

/** Whether a route changes one record that has versions. The route may have ids in place of names. */
function takesIfMatch(route: string): boolean {
  // `bulk` could be an id.
  if (route.endsWith('/bulk')) return false;
  return versioned.some((each) => RegExp(`^${each.replace(/{\w+}/g, '[^/]+')}$`).test(route));
}

// A closure, so that printing a client does not print its credentials.
export function createTransport(settings: Settings, ports: Ports): Transport {
  const { hooks, maxRetryDelayMs } = settings;
  const { random, monotonicMs } = ports;
  const tokens = createTokens(settings, ports, (body, signal) => {
    const prepared = prepare({ route: createToken, input: { body }, options: {} });
    return exchange({ ...prepared, attempt: 1 }, undefined, signal, settings, ports);
  });

  function request<T>(
    route: string,
    input: RequestInput = {},
    options: ChangeOptions = {},
  ): ApiPromise<T> {
    return new ApiPromise<T>(retry({ route, input, options }));
  }

  async function retry<T>(call: Call): Promise<WithResponse<T>> {
    checkOptions(call.options, requestOptions);
    if (call.options.ifMatch !== undefined && !takesIfMatch(call.route)) {
      throw new ShortyConfigError('ifMatch', `is not an option of ${call.route}`);
    }
    const { signal } = call.options;
    const limits = readLimits(call.options, settings.limits);
    const prepared = prepare(call);
    const { method, path } = prepared;
    const request = `${method} ${path}`;
    const createDeadlineError = (cause: unknown) =>
      createTimeout(request, `${limits.deadlineMs} ms, including retries`, cause);
    const deadlineAt = monotonicMs() + limits.deadlineMs;
    let lastError: unknown;
    for (let attempt = 1; ; attempt++) {
      const describe = <E>(error: E) =>
        describeCall(error, { method, path, operation: call.route, attempts: attempt });
      try {
        const outgoing = { ...prepared, attempt };
        const leftMs = deadlineAt - monotonicMs();
        const isLast = leftMs < limits.timeoutMs;
        const timeoutMs = isLast ? Math.max(0, leftMs) : limits.timeoutMs;
        const createTimeoutError = () =>
          isLast
            ? createDeadlineError(lastError)
            : createTimeout(request, `${limits.timeoutMs} ms`, lastError);
        const incoming = await runWithin(
          { signal, timeoutMs, createTimeoutError },
          ports,
          (within) => authorize(outgoing, within),
        );
        const data = readResponse<T>(incoming, request, ports.epochMs());
        return { data, response: incoming.response };
      } catch (caught) {
        signal?.throwIfAborted();
        const error = describe(caught);
        if (!isRetryable(error) || attempt > limits.maxRetries) throw error;
        const delayMs = retryDelay(attempt - 1, error.retryAfterMs, maxRetryDelayMs, random);
        const leftMs = deadlineAt - monotonicMs();
        // The server would also refuse an attempt before the time that it asked for.
        if (delayMs > maxRetryDelayMs || delayMs >= leftMs) throw error;
        lastError = error;
        const createTimeoutError = () => createDeadlineError(error);
        // The limits hold for the hook, too.
        await runWithin(
          { signal, timeoutMs: leftMs, createTimeoutError },
          ports,
          async (within) => {
            await hooks.onRetry?.({ method, path, attempt, delayMs, error });
            await wait(delayMs, within, ports);
          },
        ).catch((reason) => {
          throw describe(reason);
        });
      }
    }
  }

  function prepare({ route, input, options }: Call): Omit<Outgoing, 'attempt'> {
    const { body } = input;
    const { method, path, search } = buildTarget(route, input);
    const isPublic = route === createToken || !path.startsWith('/api/v1/');
    const headers = mergeHeaders(settings.headers, options.headers);
    headers.set('accept', 'application/json, image/*');
    if (body !== undefined) headers.set('content-type', 'application/json');
    if (method !== 'GET' && !isPublic) {
      const given = options.idempotencyKey ?? headers.get('idempotency-key');
      const key = given ?? ports.newKey();
      if (!/^[\x21-\x7e]{1,255}$/.test(key)) {
        refuse('idempotencyKey', '1 to 255 visible ASCII characters', key);
      }
      headers.set('idempotency-key', key);
      const { ifMatch } = options;
      if (ifMatch !== undefined) headers.set('if-match', ifMatch);
    }
    return {
      method,
      path,
      isPublic,
      url: settings.baseUrl + path + search,
      headers,
      body: toJson(body) ?? null,
    };
  }

  /** Sends a request with a token. If the server refuses the token, repeats it once with a new one. */
  async function authorize(outgoing: Outgoing, signal: AbortSignal): Promise<Incoming> {
    const send = (token?: string) => exchange(outgoing, token, signal, settings, ports);
    if (outgoing.isPublic) return send();
    const token = await tokens.get(signal);
    const incoming = await send(token);
    const isRefused = incoming.response.status === 401 && tokens.drop(token);
    return isRefused ? send(await tokens.get(signal)) : incoming;
  }

  return {
    send: request,
    monotonicMs,
    wait: (delayMs, signal) => wait(delayMs, signal, ports),
    list: (route, input, options) =>
      new PagedList(input.query ?? {}, (query) => request(route, { ...input, query }, options)),
  };
}
