// Generated from openapi.yaml by `npm run generate`. Do not edit.

/** The version of this package. */
export const version = '1.0.0-rc.1';

/** The routes that take ifMatch. */
export const versioned = [
  'PATCH /api/v1/urls/{id}',
  'DELETE /api/v1/urls/{id}',
  'PATCH /api/v1/qr/{id}',
  'DELETE /api/v1/qr/{id}',
  'PATCH /api/v1/webhooks/{id}',
  'DELETE /api/v1/webhooks/{id}',
  'PATCH /api/v1/domains/{id}',
  'DELETE /api/v1/domains/{id}',
];

/** The error codes of each status. */
export interface ErrorCodes {
  400: 'VALIDATION_FAILED' | 'SLUG_RESERVED' | 'DOMAIN_INVALID';
  401: 'UNAUTHORIZED';
  402: 'QUOTA_EXCEEDED';
  403: 'PLAN_REQUIRED' | 'INSUFFICIENT_SCOPE' | 'CROSS_ORIGIN' | 'ORGANIZATION_SUSPENDED';
  404: 'NOT_FOUND';
  409: 'SLUG_CONFLICT' | 'EXTERNAL_ID_CONFLICT' | 'DOMAIN_CONFLICT' | 'SECRET_CONFLICT' | 'EMAIL_CONFLICT' | 'LAST_OWNER' | 'IDEMPOTENCY_CONFLICT';
  410: 'GONE';
  412: 'PRECONDITION_FAILED';
  413: 'PAYLOAD_TOO_LARGE';
  415: 'UNSUPPORTED_MEDIA_TYPE';
  429: 'RATE_LIMITED';
  500: 'INTERNAL';
  503: 'UNAVAILABLE';
}
