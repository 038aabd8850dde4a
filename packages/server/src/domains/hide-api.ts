import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { RequestHandler } from 'express';

export interface HideApiOptions {
  /** Returns the organization whose custom domain a host is; null for every other host. */
  readonly findOrganization: (host: string | undefined) => Promise<string | null>;
  readonly respondUnknown: (response: ServerResponse) => void;
  /** The path of the liveness probe, which must get its response while storage is slow. */
  readonly livenessPath: string;
  /** The longest time that the probe waits for the domain of an unknown host. */
  readonly maxLivenessWaitMs?: number;
}

// Probes usually wait for a second.
const defaultLivenessWaitMs = 500;

/**
 * Hides the API, its documentation and the operator routes on custom domains. Links and QR codes are
 * handled before.
 */
export function hideApi({
  findOrganization,
  respondUnknown,
  livenessPath,
  maxLivenessWaitMs = defaultLivenessWaitMs,
}: HideApiOptions): RequestHandler {
  return async (request, response, next) => {
    const found = findOrganization(request.headers.host);
    const organization =
      request.path === livenessPath
        ? await Promise.race([found, sleep(maxLivenessWaitMs, null, { ref: false })])
        : await found;
    if (organization === null) next();
    else respondUnknown(response);
  };
}
