import { ApiError } from '../contract/api-error.js';
import type { Credentials } from './client-repository.js';

export function readForm(form: {
  client_id?: string | undefined;
  client_secret?: string | undefined;
}): Credentials {
  if (form.client_id === undefined || form.client_secret === undefined) {
    const message = 'client_id and client_secret are required, in the form or by HTTP Basic';
    throw new ApiError('VALIDATION_FAILED', message);
  }
  return { clientId: form.client_id, clientSecret: form.client_secret };
}

/**
 * Returns the credentials of an HTTP Basic header; undefined when there is none. RFC 6749 §2.3.1: the
 * client form-encodes the id and the secret before it joins them.
 */
export function readBasic(authorization: string | undefined): Credentials | undefined {
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
