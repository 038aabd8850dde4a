import type { ErrorCode, ErrorDetail } from './types.js';

export interface ShortyErrorInit {
  readonly status?: number | undefined;
  readonly code?: string | undefined;
  readonly details?: readonly ErrorDetail[] | undefined;
  readonly requestId?: string | undefined;
  readonly retryAfterMs?: number | undefined;
  readonly cause?: unknown;
}

/**
 * What every failed call rejects with, unless the caller's own signal ended it. There is a class
 * for each family of statuses.
 *
 * @example
 * ```ts
 * import { Shorty, ShortyError } from '@shorty/sdk';
 *
 * const shorty = new Shorty({ baseUrl: 'https://sho.example', accessToken: 'shorty_at_9d2e' });
 * try {
 *   await shorty.urls.create({ targetUrl: 'https://example.com', customSlug: 'sale' });
 * } catch (error) {
 *   if (!(error instanceof ShortyError)) throw error;
 *   console.error(error.status, error.code, error.requestId);
 *   for (const { path, message } of error.details) console.error(path, message);
 * }
 * ```
 */
export class ShortyError extends Error {
  override name = 'ShortyError';

  /** The HTTP status; undefined when there was no answer. */
  readonly status: number | undefined;
  /** The API's word for the fault; undefined when the answer did not come from the API. */
  readonly code: ErrorCode | undefined;
  /** The fields that are wrong, each with what would be right. */
  readonly details: readonly ErrorDetail[];
  /** Names the request in the server's log. */
  readonly requestId: string | undefined;
  /** Milliseconds that the server asks to wait before another attempt. */
  readonly retryAfterMs: number | undefined;

  constructor(message: string, init: ShortyErrorInit = {}) {
    super(message, init.cause === undefined ? undefined : { cause: init.cause });
    this.status = init.status;
    // A newer server may know codes that this version does not list.
    this.code = init.code as ErrorCode | undefined;
    this.details = init.details ?? [];
    this.requestId = init.requestId;
    this.retryAfterMs = init.retryAfterMs;
  }
}

/**
 * Whether a value is an error of this package, from another copy of it too.
 *
 * @example
 * ```ts
 * import { isShortyError, Shorty } from '@shorty/sdk';
 *
 * const shorty = new Shorty({ baseUrl: 'https://sho.example', accessToken: 'shorty_at_9d2e' });
 * const isTaken = await shorty.urls
 *   .create({ targetUrl: 'https://example.com', customSlug: 'sale' })
 *   .then(() => false, (error) => isShortyError(error) && error.code === 'SLUG_CONFLICT');
 * console.log(isTaken);
 * ```
 */
export function isShortyError(value: unknown): value is ShortyError {
  if (value instanceof ShortyError) return true;
  return value instanceof Error && 'requestId' in value && Array.isArray(Object(value).details);
}

/** 400: the request is not as it should be, and `details` names the fields. */
export class ValidationError extends ShortyError {
  override name = 'ValidationError';
}

/** 401: the client, its secret or the token is not accepted. */
export class AuthenticationError extends ShortyError {
  override name = 'AuthenticationError';
}

/** 402: the plan's quota is used up. */
export class QuotaExceededError extends ShortyError {
  override name = 'QuotaExceededError';
}

/** 403: the token lacks the scope, or the plan the feature. */
export class PermissionError extends ShortyError {
  override name = 'PermissionError';
}

/** 404: this organization has no such thing. */
export class NotFoundError extends ShortyError {
  override name = 'NotFoundError';
}

/** 409: the slug is taken, or the idempotency key belongs to another request. */
export class ConflictError extends ShortyError {
  override name = 'ConflictError';
}

/** 410: it existed once. */
export class GoneError extends ShortyError {
  override name = 'GoneError';
}

/** 429: too many requests, after all retries too. */
export class RateLimitError extends ShortyError {
  override name = 'RateLimitError';
}

/** Any other 4xx, and a redirect: the API sends none, and a token must not follow one. */
export class RequestRejectedError extends ShortyError {
  override name = 'RequestRejectedError';
}

/** 5xx: the server failed, after all retries too. */
export class ServerError extends ShortyError {
  override name = 'ServerError';
}

/** No whole answer came: the server is away, or the connection broke. `cause` says how. */
export class ConnectionError extends ShortyError {
  override name = 'ConnectionError';
}

/** No answer came within `timeoutMs`, or within `deadlineMs` of all attempts together. */
export class TimeoutError extends ShortyError {
  override name = 'TimeoutError';
}

/** A success whose body is not the API's: something else answers at the base URL. */
export class UnexpectedResponseError extends ShortyError {
  override name = 'UnexpectedResponseError';
}

/** An option that is missing or cannot work; nothing was sent. */
export class ShortyConfigError extends ShortyError {
  override name = 'ShortyConfigError';

  /** The option's name. */
  readonly option: string;

  constructor(option: string, problem: string) {
    super(`${option} ${problem}`);
    this.option = option;
  }
}

const classes: ReadonlyMap<number, typeof ShortyError> = new Map([
  [400, ValidationError],
  [401, AuthenticationError],
  [402, QuotaExceededError],
  [403, PermissionError],
  [404, NotFoundError],
  [409, ConflictError],
  [410, GoneError],
  [429, RateLimitError],
]);

/** The error of a status that is no success. */
export function createStatusError(
  status: number,
  message: string,
  init: Omit<ShortyErrorInit, 'status'>,
): ShortyError {
  const Class = classes.get(status) ?? (status >= 500 ? ServerError : RequestRejectedError);
  return new Class(message, { ...init, status });
}
