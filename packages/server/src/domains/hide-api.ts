import type { ServerResponse } from 'node:http';
import type { RequestHandler } from 'express';

export interface HideApiOptions {
  /** Returns the organization whose custom domain a host is; null for every other host. */
  readonly findOrganization: (host: string | undefined) => Promise<string | null>;
  /** Responds as to a visit of an unknown link. */
  readonly respondUnknown: (response: ServerResponse) => void;
}

/**
 * Hides the API, its documentation and the operator routes on custom domains. Links and QR codes are
 * handled before.
 */
export function hideApi({ findOrganization, respondUnknown }: HideApiOptions): RequestHandler {
  return async (request, response, next) => {
    if ((await findOrganization(request.headers.host)) === null) next();
    else respondUnknown(response);
  };
}
