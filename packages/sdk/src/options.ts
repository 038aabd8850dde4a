import type { Fetch } from './fetch.js';

/**
 * Credentials of a client. Without any, those of the environment are used: `SHORTY_API_KEY`,
 * `SHORTY_ACCESS_TOKEN`, or `SHORTY_CLIENT_ID` and `SHORTY_CLIENT_SECRET`.
 */
export interface ShortyCredentials {
  /** An API key of the organization, or the operator key of the server. */
  apiKey?: string | undefined;
  /** A fixed token, which is not renewed. It takes precedence over client credentials. */
  accessToken?: string | undefined;
  /** The id of an API client. The SDK exchanges it and the secret for tokens. */
  clientId?: string | undefined;
  clientSecret?: string | undefined;
}

/**
 * The options of a client. In an environment that has `SHORTY_BASE_URL` and credentials, no option is
 * required.
 *
 * @example
 * ```ts
 * import { Shorty, type ShortyOptions } from '@shorty/sdk';
 *
 * const options: ShortyOptions = {
 *   baseUrl: 'https://sho.example',
 *   apiKey: 'shorty_ak_mZ4c',
 *   timeoutMs: 10_000,
 * };
 * const shorty = new Shorty(options);
 * ```
 */
export interface ShortyOptions extends ClientOptions, ShortyCredentials {}

/** The options of a client without its credentials. */
export interface ClientOptions {
  /**
   * The http or https URL of the server. It may have a path, as in `https://example.com/links`. The
   * default is the environment variable `SHORTY_BASE_URL`.
   */
  baseUrl?: string | undefined;
  /** Scopes of the token, separated by spaces: all scopes of the client by default. */
  scope?: string | undefined;
  /**
   * Replaces `globalThis.fetch`, for example by that of undici with a dispatcher for proxies, TLS or
   * the size of the connection pool.
   */
  fetch?: Fetch | undefined;
  /** The most retries of a failed request: 3 by default. With Infinity, only the deadline limits them. */
  maxRetries?: number | undefined;
  /** Time limit of one attempt in milliseconds: 30,000 by default. */
  timeoutMs?: number | undefined;
  /** Time limit of a request with all retries in milliseconds: 120,000 by default. */
  deadlineMs?: number | undefined;
  /**
   * The longest wait before a retry in milliseconds: 60,000 by default, as long as a rate limit lasts. If
   * `Retry-After` is longer, the call fails at once, and the error's `retryAfterMs` has the time.
   */
  maxRetryDelayMs?: number | undefined;
  /** Headers of every request. */
  headers?: RequestHeaders | undefined;
  /** Callbacks for logs, metrics and traces. */
  hooks?: ShortyHooks | undefined;
  /**
   * Called with one line for each request, response and failed connection, such as `console.debug`. The lines
   * contain no tokens, headers, queries or bodies.
   */
  debug?: ((line: string) => void) | undefined;
}

/** Options of one request. The client's options are the defaults. */
export interface RequestOptions {
  /** Cancels the request and its retries. The call rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
  /** Time limit of one attempt in milliseconds. */
  timeoutMs?: number | undefined;
  /** Time limit of the request with all retries in milliseconds. */
  deadlineMs?: number | undefined;
  maxRetries?: number | undefined;
  /**
   * Makes a POST, PATCH or DELETE safe to repeat for 24 hours, also from another process. A key has 1
   * to 255 visible ASCII characters. The default is a random key.
   */
  idempotencyKey?: string | undefined;
  /** Headers of this request. They override the client's headers of the same name. */
  headers?: RequestHeaders | undefined;
}

/** Headers by their names, pairs, or an instance of Headers. */
export type RequestHeaders =
  | Readonly<Record<string, string>>
  | Iterable<readonly [name: string, value: string]>;

/** Options of a request that changes or deletes one record. */
export interface ChangeOptions extends RequestOptions {
  /**
   * The `etag` of the response in which the record was read. The call rejects with ConflictError if
   * another request has changed the record since then.
   */
  ifMatch?: string | undefined;
}

/** Options of a bulk call. `deadlineMs` applies to each request. */
export interface BulkOptions<Result> extends RequestOptions {
  /** A bulk call changes many records, and an `etag` is of one. */
  ifMatch?: never;
  /** Requests in flight at the same time: 1 by default. */
  concurrency?: number | undefined;
  /** False: the lists of the result stay empty, so that memory does not grow with the input. */
  collect?: boolean | undefined;
  /**
   * Called with the result of each request of up to 100 items, in the order of the input. The bulk
   * call waits for the returned promise. Each `index` is a position in the whole input.
   */
  onChunk?: ((chunkResult: Result, chunkIndex: number) => void | Promise<void>) | undefined;
}

/**
 * Callbacks for logs, metrics and traces. The client waits for a returned promise. If a callback throws
 * or rejects, the call fails. The arguments contain neither tokens nor bodies.
 */
export interface ShortyHooks {
  /** May set headers of the request, such as those of a trace. */
  onRequest?:
    | ((info: RequestInfo & { readonly headers: Headers }) => void | Promise<void>)
    | undefined;
  onResponse?: ((info: ResponseInfo) => void | Promise<void>) | undefined;
  onRetry?: ((info: RetryInfo) => void | Promise<void>) | undefined;
}

/** A request that is about to be sent. */
export interface RequestInfo {
  readonly method: string;
  /** The path without the query. */
  readonly path: string;
  /** Counts from 1. */
  readonly attempt: number;
}

/** A complete response. */
export interface ResponseInfo extends RequestInfo {
  readonly status: number;
  readonly headers: Headers;
  readonly requestId: string | undefined;
  readonly durationMs: number;
}

/** A failed attempt that is going to be repeated. */
export interface RetryInfo extends RequestInfo {
  /** The wait before the next attempt in milliseconds. */
  readonly delayMs: number;
  readonly error: unknown;
}
