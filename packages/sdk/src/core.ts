import { buildTarget, toJson } from './build-target.js';
import type { CallData, CallInput, RequestInput, Route } from './calls.js';
import { ShortyError } from './errors.js';
import type { downloadQr } from './generated/routes.js';
import { onAbort } from './on-abort.js';
import { systemPorts } from './ports.js';
import { isRetryable, readRetryAfter, retryDelay } from './retry-delay.js';
import { wait } from './run-within.js';
import type { ErrorResponse } from './types.js';

export type { CallData, CallInput, Route } from './calls.js';
export { isShortyError, ShortyError } from './errors.js';
export * from './generated/routes.js';

/** The server, the credentials and the limits of a call. */
export interface CallOptions {
  readonly baseUrl: string;
  /** An API key or an access token. */
  readonly apiKey: string;
  /** Replaces `globalThis.fetch`. */
  readonly fetch?: typeof globalThis.fetch | undefined;
  /** The most retries: 3 by default. */
  readonly maxRetries?: number | undefined;
  /** Time limit of one attempt in milliseconds: 30,000 by default. */
  readonly timeoutMs?: number | undefined;
  /** Cancels the call and its retries. */
  readonly signal?: AbortSignal | undefined;
  /** Makes a POST, PATCH or DELETE safe to repeat for 24 hours. The default is a random key. */
  readonly idempotencyKey?: string | undefined;
}

const maxDelayMs = 20_000;

/**
 * Calls one operation of the API, for programs in which each kilobyte counts. Retries as the client
 * does. Rejects with ShortyError, whose `status` and `code` tell the errors apart.
 *
 * @example
 * ```ts
 * import { call, createUrl } from '@shorty/sdk/core';
 *
 * const server = { baseUrl: 'https://sho.example', apiKey: 'shorty_ak_mZ4c' };
 * const url = await call(server, createUrl, { body: { targetUrl: 'https://example.com' } });
 * console.log(url.shortUrl);
 * ```
 */
export function call<R extends Exclude<Route, typeof downloadQr>>(
  options: CallOptions,
  operation: R,
  ...[input]: Record<never, never> extends CallInput<R>
    ? [input?: CallInput<R>]
    : [input: CallInput<R>]
): Promise<CallData<R>>;
export async function call(
  options: CallOptions,
  operation: string,
  input: RequestInput = {},
): Promise<unknown> {
  const { baseUrl, apiKey, maxRetries = 3, timeoutMs = 30_000 } = options;
  const { signal = new AbortController().signal, idempotencyKey = systemPorts.newKey() } = options;
  const { method, path, search } = buildTarget(operation, input);
  const info = { method, path, operation };
  const init = {
    method,
    headers: {
      authorization: `Bearer ${apiKey}`,
      'content-type': 'application/json',
      ...(method !== 'GET' && { 'idempotency-key': idempotencyKey }),
    },
    body: toJson(input.body) ?? null,
    // A redirect could send the key to another host.
    redirect: 'manual',
  } as const;
  for (let attempts = 1; ; attempts++) {
    let error: ShortyError;
    // `AbortSignal.any` would leave a reference on the signal for each attempt.
    const limit = new AbortController();
    const stopTimer = systemPorts.startTimer(timeoutMs, () =>
      limit.abort(new DOMException(`no response in ${timeoutMs} ms`, 'TimeoutError')),
    );
    const stopListening = onAbort(signal, () => limit.abort(signal.reason));
    try {
      const send = options.fetch ?? fetch;
      const response = await send(baseUrl.replace(/\/+$/, '') + path + search, {
        ...init,
        signal: limit.signal,
      });
      const { status, headers } = response;
      const text = await response.text();
      let answer: Answer;
      try {
        answer = JSON.parse(text);
      } catch {}
      if (response.ok && answer?.success === true) return answer.data;
      const { message = `${operation} answered ${status}: ${text.slice(0, 200)}`, ...rest } =
        answer?.error ?? {};
      const retryAfterMs = readRetryAfter(headers, Date.now());
      error = new ShortyError(message, { ...info, attempts, ...rest, status, retryAfterMs });
    } catch (cause) {
      signal.throwIfAborted();
      error = new ShortyError(`${operation} failed: ${cause}`, { ...info, attempts, cause });
    } finally {
      stopTimer();
      stopListening();
    }
    const delayMs = retryDelay(attempts - 1, error.retryAfterMs, maxDelayMs, Math.random);
    if (!isRetryable(error) || attempts > maxRetries || delayMs > maxDelayMs) throw error;
    await wait(delayMs, signal, systemPorts);
  }
}

type Answer =
  | { success?: unknown; data?: unknown; error?: Partial<ErrorResponse['error']> }
  | null
  | undefined;
