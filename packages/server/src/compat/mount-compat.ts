import type { Express, Response } from 'express';
import type { CompatName } from '../config.js';
import { ApiError } from '../contract/api-error.js';
import { errorHeaders, toApiError } from '../http/error-response.js';
import { stableRequestIdOf } from '../http/request-id.js';
import { bitlyRoutes } from './bitly.js';
import {
  type CompatOptions,
  type CompatReply,
  type CompatRoute,
  withNamesOf,
} from './compat-api.js';
import { shlinkRoutes } from './shlink.js';
import { yourlsRoutes } from './yourls.js';

const apis = {
  yourls: yourlsRoutes,
  bitly: bitlyRoutes,
  shlink: shlinkRoutes,
} as const satisfies Record<CompatName, readonly CompatRoute[]>;

/** The first segments of the paths of each API, which no link can have while the API is on. */
export const compatWords = { yourls: 'yourls-api.php', bitly: 'v4', shlink: 'rest' } as const;

/** Mounts the APIs of other services on an Express app. Each answers errors in its own form. */
export function mountCompat(
  app: Express,
  names: readonly CompatName[],
  onRequestError: (error: unknown, requestId: string) => void,
  options: CompatOptions,
): void {
  for (const route of names.flatMap((name): readonly CompatRoute[] => apis[name])) {
    app.all(route.path, async (request, response) => {
      try {
        const method = request.method === 'HEAD' ? 'GET' : request.method;
        if (!route.methods.some((each) => each === method)) {
          const allow = route.methods.join(', ');
          const message = `${request.method} is not allowed here: ${allow}`;
          throw new ApiError('METHOD_NOT_ALLOWED', message, { headers: { Allow: allow } });
        }
        send(response, await route.respond(request, response, options));
      } catch (error) {
        onRequestError(error, stableRequestIdOf(request));
        const refusal = withNamesOf(route, toApiError(error));
        response.set(errorHeaders(refusal));
        send(response, route.refuse(refusal, request));
      }
    });
  }
}

function send(response: Response, { status, mediaType, text }: CompatReply): void {
  response.status(status).type(mediaType).send(text);
}
