import { ApiError, invalidField } from '../contract/api-error.js';
import type { ErrorResponse } from '../contract/errors.js';
import { OAuthError } from '../contract/oauth-error.js';
import { QueueClosedError, QueueFullError } from '../fair-queue.js';
import { StorageUnavailableError } from '../storage/database.js';
import { ThreadError } from '../threads/define-thread.js';

const defaultRetryAfterSeconds = 2;

/** Marks a response that repeats the first one for its Idempotency-Key. */
export const replayedHeader = { 'Idempotent-Replayed': 'true' } as const;

/** Errors that are answered with 503: overload and outages, which are temporary. */
export const unavailableErrors = [
  QueueFullError,
  QueueClosedError,
  StorageUnavailableError,
  ThreadError,
] as const;

/** Converts any error to an ApiError. An unexpected error becomes INTERNAL with its cause. */
export function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  // Express throws a URIError for a path with invalid percent-encoding.
  if (error instanceof URIError) {
    return invalidField('path', 'is not valid percent-encoding');
  }
  if (unavailableErrors.some((each) => error instanceof each)) return unavailable(error as Error);
  return new ApiError('INTERNAL', 'Something went wrong on our side', { cause: error });
}

function unavailable(cause: Error): ApiError {
  if (cause instanceof QueueFullError) {
    const headers = { 'Retry-After': String(cause.retryAfterSeconds) };
    return new ApiError('UNAVAILABLE', `The server is busy. ${cause.message}`, { headers, cause });
  }
  const message =
    cause instanceof StorageUnavailableError
      ? 'Storage is unavailable at the moment; try again'
      : 'The server is busy or stopping; try again';
  return new ApiError('UNAVAILABLE', message, { cause });
}

export function errorBody(error: ApiError, requestId: string): ErrorResponse {
  return {
    success: false,
    error: {
      code: error.code,
      message: error.message,
      ...(error.details.length > 0 && { details: [...error.details] }),
      requestId,
    },
  };
}

export function errorHeaders(error: ApiError): Readonly<Record<string, string>> {
  // RFC 9110 §11.6.1: a 401 names the scheme that the client must use.
  const challenge = error.code === 'UNAUTHORIZED' ? { 'WWW-Authenticate': 'Bearer' } : {};
  // Applies to every 503, including those of the health check.
  const retry =
    error.code === 'UNAVAILABLE' ? { 'Retry-After': String(defaultRetryAfterSeconds) } : {};
  const replay = error.replayed ? replayedHeader : {};
  return { ...challenge, ...retry, ...replay, ...error.headers };
}

/** Converts any error to the form of RFC 6749, for a request that was sent as an OAuth form. */
export function toOAuthError(error: unknown): OAuthError {
  if (error instanceof OAuthError) return error;
  const apiError = toApiError(error);
  const { code, status, message, details } = apiError;
  const headers = errorHeaders(apiError);
  if (status >= 500) {
    const oauthCode = code === 'UNAVAILABLE' ? 'temporarily_unavailable' : 'server_error';
    return new OAuthError(oauthCode, message, { headers, cause: error });
  }
  if (code === 'RATE_LIMITED') {
    return new OAuthError('temporarily_unavailable', message, { status, headers });
  }
  if (code === 'UNAUTHORIZED') {
    const basic = { 'WWW-Authenticate': 'Basic realm="shorty"' };
    return new OAuthError('invalid_client', message, { headers: basic });
  }
  if (code === 'ORGANIZATION_SUSPENDED') return new OAuthError('unauthorized_client', message);
  const isScope = details[0]?.path === 'scope';
  return new OAuthError(isScope ? 'invalid_scope' : 'invalid_request', message);
}
