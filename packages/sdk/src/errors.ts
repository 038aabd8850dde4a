import type { ErrorCodes } from './generated/contract.js';
import type { ErrorCode, ErrorDetail } from './generated/types.js';

/** The call that failed. */
export interface CallInfo {
  readonly method: string;
  readonly path: string;
  readonly operation: string;
  readonly attempts: number;
}

export interface ShortyErrorInit {
  readonly method?: string | undefined;
  readonly path?: string | undefined;
  readonly operation?: string | undefined;
  readonly attempts?: number | undefined;
  readonly status?: number | undefined;
  readonly code?: string | undefined;
  readonly details?: readonly ErrorDetail[] | undefined;
  readonly requestId?: string | undefined;
  readonly retryAfterMs?: number | undefined;
  readonly cause?: unknown;
}

// Shared by all installed copies of the package, unlike the class.
const brand = Symbol.for('@shorty/sdk/error');

/**
 * The base class of all errors of this package. A failed call rejects with one of its subclasses, or
 * with the reason of the caller's signal.
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
 *   console.error(error.method, error.path, error.status, error.code, error.requestId);
 *   for (const { path, message } of error.details) console.error(path, message);
 * }
 * ```
 */
export class ShortyError extends Error {
  override name = 'ShortyError';

  /** The method of the request, such as `POST`. Undefined if no request failed. */
  declare readonly method: string | undefined;
  /** The path of the request without the query. Undefined if no request failed. */
  declare readonly path: string | undefined;
  /**
   * The method and the path of the operation, with the names of parameters: `GET /api/v1/urls/{id}`, for
   * metrics. Undefined if no request failed.
   */
  declare readonly operation: string | undefined;
  /** The number of attempts that were sent. Undefined if no request failed. */
  declare readonly attempts: number | undefined;
  /** The HTTP status. Undefined without a response. */
  declare readonly status: number | undefined;
  /** The error code of the API. Undefined if there is no response, or it is not from the API. */
  readonly code: ErrorCode | undefined;
  /** The invalid fields, each with a message that names the rule. */
  declare readonly details: readonly ErrorDetail[];
  /** The id of the request in the server's log. */
  declare readonly requestId: string | undefined;
  /** Milliseconds to wait before another attempt, from `Retry-After`. */
  declare readonly retryAfterMs: number | undefined;

  constructor(message: string, { cause, details = [], ...init }: ShortyErrorInit = {}) {
    super(message, (cause && { cause }) as ErrorOptions | undefined);
    // A newer server may send codes that this version does not list.
    Object.assign(this, init, { details });
  }

  get [brand](): true {
    return true;
  }

  /** Returns the properties and the message, for logs. */
  toJSON(): object {
    return { ...this, message: this.message };
  }
}

/**
 * Returns a copy of an error with the call. Calls that wait for the same token get the same error, so
 * each needs a copy. In its stack are the functions that await the call: V8 finds them when it is
 * needed, and the start of each call would pay for a stack that only errors need.
 */
export function describeCall<E>(error: E, call: CallInfo): E {
  if (!(error instanceof ShortyError) || error instanceof ShortyConfigError) return error;
  const { message, cause } = error;
  const own = new (error.constructor as typeof ShortyError)(message, { ...error, ...call, cause });
  // The stack of an error begins with the name of its base class.
  own.stack = `${own}\n${new Error().stack?.replace(/^Error.*\n/, '')}`;
  return own as E;
}

/**
 * Returns whether a value is an error of this package, or of another installed copy of the package.
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
  return Object(value)[brand] === true;
}

/** 400: the request is not valid. `details` names the fields. */
export class ValidationError extends ShortyError {
  override name = 'ValidationError';
  declare readonly code: ErrorCodes[400] | undefined;
}

/** 401: the client id, the secret or the token is invalid. */
export class AuthenticationError extends ShortyError {
  override name = 'AuthenticationError';
  declare readonly code: ErrorCodes[401] | undefined;
}

/** 402: the quota of the plan is exhausted. */
export class QuotaExceededError extends ShortyError {
  override name = 'QuotaExceededError';
  declare readonly code: ErrorCodes[402] | undefined;
}

/** 403: the token lacks a scope, or the plan lacks the feature. */
export class PermissionError extends ShortyError {
  override name = 'PermissionError';
  declare readonly code: ErrorCodes[403] | undefined;
}

/** 404: the organization has no such record. */
export class NotFoundError extends ShortyError {
  override name = 'NotFoundError';
  declare readonly code: ErrorCodes[404] | undefined;
}

/**
 * 409: the slug is taken, or the idempotency key belongs to another request. 412: another request has
 * changed the record that `ifMatch` names.
 */
export class ConflictError extends ShortyError {
  override name = 'ConflictError';
  declare readonly code: ErrorCodes[409 | 412] | undefined;
}

/** 410: the record was deleted or has expired. */
export class GoneError extends ShortyError {
  override name = 'GoneError';
  declare readonly code: ErrorCodes[410] | undefined;
}

/** 429: the client sent too many requests. The retries also failed. */
export class RateLimitError extends ShortyError {
  override name = 'RateLimitError';
  declare readonly code: ErrorCodes[429] | undefined;
}

/** Another 4xx, or a redirect. Redirects are not followed: another host could receive the token. */
export class RequestRejectedError extends ShortyError {
  override name = 'RequestRejectedError';
  declare readonly code:
    | Exclude<
        ErrorCode,
        ErrorCodes[400 | 401 | 402 | 403 | 404 | 409 | 410 | 412 | 429 | 500 | 503]
      >
    | undefined;
}

/** 5xx: the server failed. The retries also failed. */
export class ServerError extends ShortyError {
  override name = 'ServerError';
  declare readonly code: ErrorCodes[500 | 503] | undefined;
}

/** The server is unreachable, or the connection broke before the response was complete. See `cause`. */
export class ConnectionError extends ShortyError {
  override name = 'ConnectionError';
  declare readonly code: undefined;
}

/** No complete response within `timeoutMs`, or within `deadlineMs` for all attempts together. */
export class TimeoutError extends ShortyError {
  override name = 'TimeoutError';
  declare readonly code: undefined;
}

/** A successful response that is not from the API. The base URL is probably wrong. */
export class UnexpectedResponseError extends ShortyError {
  override name = 'UnexpectedResponseError';
  declare readonly code: undefined;
}

/** A missing or invalid option or argument. No request was sent. */
export class ShortyConfigError extends ShortyError {
  override name = 'ShortyConfigError';
  declare readonly code: undefined;

  /** The name of the option or argument. */
  declare readonly option: string;

  constructor(option: string, rule: string) {
    const init: object = { option };
    super(`${option} ${rule}`, init);
  }
}

/** Throws the error of an option or argument whose value breaks a rule. */
export function refuse(option: string, rule: string, value: unknown): never {
  const shown = typeof value === 'string' ? `"${value}"` : value;
  throw new ShortyConfigError(option, `must be ${rule}, not ${shown}`);
}

const classes: Readonly<Record<number, typeof ShortyError>> = {
  400: ValidationError,
  401: AuthenticationError,
  402: QuotaExceededError,
  403: PermissionError,
  404: NotFoundError,
  409: ConflictError,
  410: GoneError,
  412: ConflictError,
  429: RateLimitError,
};

/** Returns the error for a status. A response with 2xx is an error if it is not from the API. */
export function createStatusError(
  status: number,
  message: string,
  init: Omit<ShortyErrorInit, 'status'>,
): ShortyError {
  const Class =
    classes[status] ??
    (status >= 500 ? ServerError : status < 300 ? UnexpectedResponseError : RequestRejectedError);
  return new Class(message, { ...init, status });
}

/** Returns the error of a request without a response in time. */
export function createTimeout(request: string, limit: string, cause?: unknown): TimeoutError {
  return new TimeoutError(`${request} was not answered within ${limit}`, { cause });
}
