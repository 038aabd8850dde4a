import { ApiError } from '../contract/api-error.js';
import { OAuthError } from '../contract/oauth-error.js';
import type { HandlersOf } from '../http/handlers.js';
import { addressBlockOf } from '../network/ip-address.js';
import type { AuthService } from './auth-service.js';
import type { Credentials } from './client-repository.js';
import type { tokenRoutes } from './token-contract.js';

// RFC 6749 §5.1 requires both.
const noStore = { 'Cache-Control': 'no-store', Pragma: 'no-cache' };

export function tokenHandlers(auth: AuthService): HandlersOf<typeof tokenRoutes> {
  return {
    async createToken({ body, form, headers, address }) {
      if (form && form.grant_type !== 'client_credentials') {
        throw new OAuthError('unsupported_grant_type', 'grant_type must be client_credentials');
      }
      const credentials = form ? (readBasic(headers.authorization) ?? readForm(form)) : body;
      const requested = form ? form.scope : body.scope;
      const issued = await auth.issueToken(credentials, requested, addressBlockOf(address));
      const { accessToken, expiresIn, scope } = issued;
      if (!form) {
        const data = { accessToken, tokenType: 'Bearer' as const, expiresIn, scope };
        return { status: 200, data, headers: noStore };
      }
      return {
        status: 200,
        body: { access_token: accessToken, token_type: 'Bearer', expires_in: expiresIn, scope },
        headers: noStore,
      };
    },
  };
}

function readForm(form: {
  client_id?: string | undefined;
  client_secret?: string | undefined;
}): Credentials {
  if (form.client_id === undefined || form.client_secret === undefined) {
    throw new OAuthError(
      'invalid_request',
      'client_id and client_secret are required, in the form or by HTTP Basic',
    );
  }
  return { clientId: form.client_id, clientSecret: form.client_secret };
}

/**
 * Returns the credentials of an HTTP Basic header; undefined when there is none. RFC 6749 §2.3.1: the
 * client form-encodes the id and the secret before it joins them.
 */
function readBasic(authorization: string | undefined): Credentials | undefined {
  const encoded = /^Basic +([A-Za-z0-9+/=]+) *$/i.exec(authorization ?? '')?.[1];
  if (encoded === undefined) return undefined;
  const text = Buffer.from(encoded, 'base64').toString('utf8');
  const colon = text.indexOf(':');
  if (colon < 0) {
    throw new ApiError('UNAUTHORIZED', 'HTTP Basic credentials must be client_id:client_secret');
  }
  return {
    clientId: decodeFormText(text.slice(0, colon)),
    clientSecret: decodeFormText(text.slice(colon + 1)),
  };
}

function decodeFormText(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch (error) {
    // A client that does not encode its secret.
    if (error instanceof URIError) return text;
    throw error;
  }
}
