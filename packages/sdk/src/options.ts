/**
 * How a client reaches its server. Give either `clientId` and `clientSecret`, or `accessToken`.
 *
 * @example
 * ```ts
 * import { Shorty, type ShortyOptions } from '@shorty/sdk';
 *
 * const options: ShortyOptions = {
 *   baseUrl: 'https://sho.example',
 *   clientId: 'shorty_ci_0f3b',
 *   clientSecret: 'shorty_cs_2c81',
 *   timeoutMs: 10_000,
 * };
 * const shorty = new Shorty(options);
 * ```
 */
export interface ShortyOptions {
  /** Where the API is, http or https. A path prefix is kept: `https://example.com/links`. */
  baseUrl: string;
  clientId?: string | undefined;
  clientSecret?: string | undefined;
  /** Used as it is and never renewed. Wins over client credentials. */
  accessToken?: string | undefined;
  /** Scopes to ask for, separated by spaces; all of the client's by default. */
  scope?: string | undefined;
  /** Stands in for `globalThis.fetch`; see also `@shorty/sdk/node`. */
  fetch?: typeof globalThis.fetch | undefined;
  /** How often a failed request is repeated: 3 by default, 0 for never, Infinity until the deadline. */
  maxRetries?: number | undefined;
  /** Milliseconds that one attempt may take: 30,000 by default. */
  timeoutMs?: number | undefined;
  /** Milliseconds that a request may take with all its attempts and waits: 120,000 by default. */
  deadlineMs?: number | undefined;
  /** Milliseconds that one wait takes at most, `Retry-After` or not: 20,000 by default. */
  maxRetryDelayMs?: number | undefined;
  /** Sent with every request. */
  headers?: Readonly<Record<string, string>> | undefined;
  /** Called while requests are made. An error that a hook throws fails the request. */
  hooks?: ShortyHooks | undefined;
}

/** Settings of one request; what is left out comes from the client. */
export interface RequestOptions {
  /** Stops the request or the wait before its repetition; rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
  /** Milliseconds that one attempt may take. */
  timeoutMs?: number | undefined;
  /** Milliseconds that the request may take with all its attempts and waits. */
  deadlineMs?: number | undefined;
  maxRetries?: number | undefined;
  /**
   * Makes a POST safe to repeat for 24 hours, by another process too: 1 to 255 visible ASCII
   * characters. A random one by default. Without effect on other methods.
   */
  idempotencyKey?: string | undefined;
  /** Sent beside, and instead of, the client's headers. */
  headers?: Readonly<Record<string, string>> | undefined;
}

/** What a bulk call takes beside the settings of its requests. `deadlineMs` holds for each request. */
export interface BulkOptions<Result> extends RequestOptions {
  /** Requests under way at once: 1 by default. */
  concurrency?: number | undefined;
  /**
   * Called for each request of up to 100 items, in the order of the input and awaited; each
   * `index` is a position in the whole input.
   */
  onChunk?: ((chunkResult: Result, chunkIndex: number) => void | Promise<void>) | undefined;
}

/** Callbacks to log and measure with. None is given a token or a body. */
export interface ShortyHooks {
  onRequest?: ((info: RequestInfo) => void) | undefined;
  onResponse?: ((info: ResponseInfo) => void) | undefined;
  onRetry?: ((info: RetryInfo) => void) | undefined;
}

/** A request that is about to be sent. */
export interface RequestInfo {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  /** From 1. */
  readonly attempt: number;
}

/** A response that was read to its end. */
export interface ResponseInfo extends RequestInfo {
  readonly status: number;
  readonly headers: Headers;
  readonly requestId: string | undefined;
  readonly durationMs: number;
}

/** An attempt that failed and will be repeated. */
export interface RetryInfo extends RequestInfo {
  /** How long the client waits first. */
  readonly delayMs: number;
  readonly error: unknown;
}
