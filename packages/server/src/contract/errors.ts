import { z } from 'zod';

export const errorStatus = {
  VALIDATION_FAILED: 400,
  SLUG_RESERVED: 400,
  DOMAIN_INVALID: 400,
  UNAUTHORIZED: 401,
  QUOTA_EXCEEDED: 402,
  PLAN_REQUIRED: 403,
  INSUFFICIENT_SCOPE: 403,
  CROSS_ORIGIN: 403,
  ORGANIZATION_SUSPENDED: 403,
  NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  SLUG_CONFLICT: 409,
  EXTERNAL_ID_CONFLICT: 409,
  DOMAIN_CONFLICT: 409,
  SECRET_CONFLICT: 409,
  EMAIL_CONFLICT: 409,
  LAST_OWNER: 409,
  IDEMPOTENCY_CONFLICT: 409,
  GONE: 410,
  PRECONDITION_FAILED: 412,
  PAYLOAD_TOO_LARGE: 413,
  UNSUPPORTED_MEDIA_TYPE: 415,
  RATE_LIMITED: 429,
  TAKEN_DOWN: 451,
  INTERNAL: 500,
  UNAVAILABLE: 503,
} as const;

export type ErrorCode = keyof typeof errorStatus;

export const errorCodes = Object.keys(errorStatus) as [ErrorCode, ...ErrorCode[]];

/** The codes of errors that respond to a form of OAuth (RFC 6749 §5.2). */
export const oauthCodes = [
  'invalid_request',
  'invalid_client',
  'invalid_scope',
  'unauthorized_client',
  'unsupported_grant_type',
  'server_error',
  'temporarily_unavailable',
] as const;

export type OAuthCode = (typeof oauthCodes)[number];

export const errorDetail = z
  .object({
    path: z.string().meta({
      description: 'JSON path of the field; empty for the body as a whole.',
      example: 'urls[3].targetUrl',
    }),
    message: z.string().meta({ example: 'must start with http:// or https://' }),
  })
  .meta({ id: 'ErrorDetail' });

export const errorResponse = z
  .object({
    success: z.literal(false),
    error: z.object({
      code: z.enum(errorCodes).meta({ id: 'ErrorCode' }),
      message: z.string().meta({ example: 'targetUrl must start with http:// or https://' }),
      details: z.array(errorDetail).optional(),
      requestId: z.string().describe('The same value as the X-Request-Id header.'),
    }),
  })
  .meta({ id: 'ErrorResponse', description: 'The response of a failed request.' });

export type ErrorDetail = z.infer<typeof errorDetail>;
export type ErrorResponse = z.infer<typeof errorResponse>;
