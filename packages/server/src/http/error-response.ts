import { ApiError, invalidField } from '../contract/api-error.js';
import type { ErrorCode, ErrorResponse, OAuthCode } from '../contract/errors.js';
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

export function errorBody(
  error: ApiError,
  requestId: string,
): ErrorResponse | { error: OAuthCode; error_description: string } {
  if (error.oauthCode) return { error: error.oauthCode, error_description: error.message };
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

const oauthCodes: Partial<Record<ErrorCode, OAuthCode>> = {
  UNAUTHORIZED: 'invalid_client',
  ORGANIZATION_SUSPENDED: 'unauthorized_client',
  RATE_LIMITED: 'temporarily_unavailable',
  UNAVAILABLE: 'temporarily_unavailable',
  INTERNAL: 'server_error',
};

/** Converts any error to the response to a form of OAuth. RFC 6749 §5.2 gives most of them the status 400. */
export function toOAuthError(error: unknown): ApiError {
  const apiError = toApiError(error);
  if (apiError.oauthCode) return apiError;
  const { code, status, message, details } = apiError;
  const isScope = details[0]?.path === 'scope';
  const oauthCode = oauthCodes[code] ?? (isScope ? 'invalid_scope' : 'invalid_request');
  const headers =
    code === 'UNAUTHORIZED' ? { 'WWW-Authenticate': 'Basic realm="shorty"' } : apiError.headers;
  const hasStatus = status === 401 || status === 429 || status >= 500;
  return new ApiError(hasStatus ? code : 'VALIDATION_FAILED', message, {
    headers,
    oauthCode,
    cause: error,
  });
}
