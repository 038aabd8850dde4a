import type { Express, Request, Response } from 'express';
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
    const refuse = (error: unknown, request: Request, response: Response) => {
      onRequestError(error, stableRequestIdOf(request));
      const refusal = withNamesOf(route, toApiError(error));
      response.set(errorHeaders(refusal));
      send(response, route.refuse(refusal, request));
    };
    for (const method of route.methods) {
      app[method](route.path, async (request, response) => {
        try {
          send(response, await route.respond(request, response, options));
        } catch (error) {
          refuse(error, request, response);
        }
      });
    }
    const allow = route.methods.map((method) => method.toUpperCase()).join(', ');
    app.all(route.path, (request, response) => {
      const message = `${request.method} is not allowed here: ${allow}`;
      refuse(
        new ApiError('METHOD_NOT_ALLOWED', message, { headers: { Allow: allow } }),
        request,
        response,
      );
    });
  }
}

function send(response: Response, { status, mediaType, text }: CompatReply): void {
  response.status(status).type(mediaType).send(text);
}
