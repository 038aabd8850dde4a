import type { Route } from '../contract/define-route.js';
import { type ErrorCode, errorCodes } from '../contract/errors.js';

/** Returns every error code of a route: its own, and those that follow from its access and input. */
export function errorsOf(route: Route): ErrorCode[] {
  const hasBody = route.body !== undefined;
  const takesInput = hasBody || route.query !== undefined || route.params !== undefined;
  const codes = new Set<ErrorCode>(route.errors);
  if (takesInput && !(route.isForVisitors && !hasBody)) codes.add('VALIDATION_FAILED');
  if (route.access !== 'public') codes.add('UNAUTHORIZED').add('RATE_LIMITED');
  if (typeof route.access === 'object') codes.add('INSUFFICIENT_SCOPE');
  if (hasBody) codes.add('PAYLOAD_TOO_LARGE').add('UNSUPPORTED_MEDIA_TYPE');
  if (route.idempotent) codes.add('IDEMPOTENCY_CONFLICT');
  if (route.tag !== 'Operations') codes.add('INTERNAL').add('UNAVAILABLE');
  return errorCodes.filter((code) => codes.has(code));
}
