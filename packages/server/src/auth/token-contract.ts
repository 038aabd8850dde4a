import { z } from 'zod';
import { defineRoute, scopes } from '../contract/define-route.js';
import { oauthCodes } from '../contract/errors.js';

export const tokenLifetimeSeconds = 3600;

const scopeList = z
  .string()
  .max(500)
  .meta({
    description: `Scopes, separated by spaces: ${scopes.join(', ')}. By default, the token has all scopes of the client.`,
    example: 'urls:read urls:write',
  });
const clientId = z.string().min(1).max(200).meta({ example: 'shorty_ci_0f3b' });
const clientSecret = z
  .string()
  .min(1)
  .max(500)
  .meta({ format: 'password', example: 'shorty_cs_2c81' });

export const tokenRequest = z
  .strictObject({ clientId, clientSecret, scope: scopeList.optional() })
  .meta({ id: 'TokenRequest' });

// Not strict: RFC 6749 §3.2 requires servers to ignore unknown parameters.
export const tokenForm = z
  .object({
    grant_type: z.string().meta({ example: 'client_credentials' }),
    client_id: clientId.optional(),
    client_secret: clientSecret.optional(),
    scope: scopeList.optional(),
  })
  .meta({ id: 'TokenForm', description: 'Client credentials by RFC 6749 §4.4.' });

export const token = z
  .object({
    accessToken: z.string().meta({ example: 'shorty_at_9d2e' }),
    tokenType: z.literal('Bearer'),
    expiresIn: z.int().meta({ description: 'Seconds.', example: tokenLifetimeSeconds }),
    scope: z.string().meta({ example: 'urls:read urls:write' }),
  })
  .meta({ id: 'Token' });

/** RFC 6749 §5.1. */
const oauthToken = z
  .strictObject({
    access_token: z.string().meta({ example: 'shorty_at_9d2e' }),
    token_type: z.literal('Bearer'),
    expires_in: z.int().meta({ description: 'Seconds.', example: tokenLifetimeSeconds }),
    scope: z.string().meta({ example: 'urls:read urls:write' }),
  })
  .meta({ id: 'OAuthToken', description: 'The response to a form by RFC 6749 §5.1.' });

/** RFC 6749 §5.2. */
const oauthError = z
  .strictObject({
    error: z.enum(oauthCodes),
    error_description: z.string(),
  })
  .meta({ id: 'OAuthError', description: 'The error response to a form by RFC 6749 §5.2.' });

export const tokenRoutes = [
  defineRoute('createToken', 'POST /api/v1/auth/token', {
    tag: 'Authentication',
    summary: 'Exchange client credentials for an access token',
    description:
      'A JSON request gets the usual envelope. A form (credentials in the body or by HTTP Basic) gets ' +
      'the responses and errors of RFC 6749, so any OAuth library works. ' +
      'The body must have at most 8 KB. The number of requests per address is limited, including successful ones.',
    access: 'public',
    body: tokenRequest,
    form: tokenForm,
    formError: oauthError,
    responses: {
      200: { description: 'A new access token', data: token, formBody: oauthToken },
    },
    errors: ['UNAUTHORIZED', 'ORGANIZATION_SUSPENDED', 'RATE_LIMITED'],
  }),
] as const;
