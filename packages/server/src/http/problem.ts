import { ApiError } from '../contract/api-error.js';
import type { ErrorResponse } from '../contract/errors.js';
import { OAuthError } from '../contract/oauth-error.js';
import { QueueClosedError, QueueFullError } from '../fair-queue.js';
import { IdempotencyConflictError } from '../idempotency/run-once.js';
import { StorageUnavailableError } from '../storage/database.js';
import { ThreadStoppedError, ThreadTimeoutError } from '../threads/thread.js';

/** Seconds after which a caller should ask again when storage is away. */
const retryAfterSeconds = '2';

/** Any error as one that the contract knows. What is unexpected becomes INTERNAL and keeps its cause. */
export function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  if (error instanceof IdempotencyConflictError) {
    return new ApiError('IDEMPOTENCY_CONFLICT', error.message, { cause: error });
  }
  if (error instanceof StorageUnavailableError) {
    return new ApiError('UNAVAILABLE', 'Storage is unavailable at the moment; try again', {
      headers: { 'Retry-After': retryAfterSeconds },
      cause: error,
    });
  }
  if (error instanceof QueueFullError) {
    return new ApiError('UNAVAILABLE', `The server is busy. ${error.message}`, {
      headers: { 'Retry-After': String(error.retryAfterSeconds) },
      cause: error,
    });
  }
  if (
    error instanceof QueueClosedError ||
    error instanceof ThreadStoppedError ||
    error instanceof ThreadTimeoutError
  ) {
    return new ApiError('UNAVAILABLE', 'The server is busy or stopping; try again', {
      headers: { 'Retry-After': retryAfterSeconds },
      cause: error,
    });
  }
  return new ApiError('INTERNAL', 'Something went wrong on our side', { cause: error });
}

/** The envelope of a failed request. */
export function problemBody(error: ApiError, requestId: string): ErrorResponse {
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

export function problemHeaders(error: ApiError): Readonly<Record<string, string>> {
  // RFC 9110 §11.6.1: a 401 names the scheme that would do.
  const challenge = error.code === 'UNAUTHORIZED' ? { 'WWW-Authenticate': 'Bearer' } : {};
  return { ...challenge, ...error.headers };
}

/** The same error for a request that came as an OAuth form. */
export function toOAuthError(error: unknown): OAuthError {
  if (error instanceof OAuthError) return error;
  const problem = toApiError(error);
  if (problem.status >= 500) {
    const code = problem.code === 'UNAVAILABLE' ? 'temporarily_unavailable' : 'server_error';
    return new OAuthError(code, problem.message, { headers: problem.headers, cause: error });
  }
  if (problem.code === 'RATE_LIMITED') {
    const { status, headers } = problem;
    return new OAuthError('temporarily_unavailable', problem.message, { status, headers });
  }
  return new OAuthError('invalid_request', problem.message);
}
