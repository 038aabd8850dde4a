import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { RequestHandler } from 'express';

export interface HideApiOptions {
  /** Returns the organization whose custom domain a host is; null for every other host. */
  readonly findOrganization: (host: string | undefined) => Promise<string | null>;
  readonly respondUnknown: (response: ServerResponse) => void;
  /** The path of the liveness probe, which must get its response while storage is slow. */
  readonly livenessPath: string;
}

// Probes usually wait for a second.
const maxLivenessWaitMs = 500;

/**
 * Hides the API, its documentation and the operator routes on custom domains. Links and QR codes are
 * handled before.
 */
export function hideApi(options: HideApiOptions): RequestHandler {
  const { findOrganization, respondUnknown, livenessPath } = options;
  return async ({ path, headers }, response, next) => {
    const found = [findOrganization(headers.host)];
    if (path === livenessPath) found.push(sleep(maxLivenessWaitMs, null, { ref: false }));
    if ((await Promise.race(found)) === null) next();
    else respondUnknown(response);
  };
}
