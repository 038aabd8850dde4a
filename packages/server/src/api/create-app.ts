import { parse as parseQuery } from 'node:querystring';
import express, {
  type ErrorRequestHandler,
  type Express,
  type Request,
  type Response,
} from 'express';
import type { Logger } from 'pino';
import { ApiError, shorten, validationError } from '../contract/api-error.js';
import type { Route } from '../contract/define-route.js';
import { OAuthError } from '../contract/oauth-error.js';
import type { FinishedRequest } from '../health/request-metrics.js';
import { toApiError } from '../http/error-response.js';
import { prefersJson } from '../http/prefers-json.js';
import { stableRequestIdOf } from '../http/request-id.js';
import { hasForbiddenCharacters } from '../http/request-target.js';
import { sendError, sendPage } from '../http/send-response.js';
import { homePage, notFoundPage } from '../pages/link-pages.js';
import { withSecurityHeaders } from '../pages/security-headers.js';
import { type MountOptions, mountRoutes } from './mount-routes.js';

export interface AppOptions extends MountOptions {
  readonly logger: Logger;
  /** Called with the error of each failed request, including 4xx errors. */
  readonly onRequestError: (error: unknown, requestId: string) => void;
  /** Called when a response has been sent or its client has disconnected. */
  readonly onFinished: (request: FinishedRequest) => void;
}

// More than any route defines. A query with more fields has an unknown one and is refused.
const maxQueryFields = 32;

/** Creates the app of the public listener, without operator routes if they have their own listener. */
export function createPublicApp(options: AppOptions, hasAdminListener: boolean): Express {
  return createApp(options, (app) => {
    mountRoutes(app, options, ({ audience }) => !hasAdminListener || audience !== 'operator');
    app.get('/', (request, response) => {
      sendPage(request, response, 200, homePage);
    });
  });
}

/** Creates the app of SHORTY_ADMIN_LISTEN, which has only the operator routes. */
export function createAdminApp(options: AppOptions): Express {
  return createApp(options, (app) => {
    mountRoutes(app, options, ({ audience }) => audience === 'operator');
  });
}

const securityHeaders = withSecurityHeaders();

function createApp(options: AppOptions, mount: (app: Express) => void): Express {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('query parser', (text: string) =>
    parseQuery(text, '&', '=', { maxKeys: maxQueryFields }),
  );
  // A path in another case or with a trailing slash must not reach a route. A proxy's rule for the
  // route would not match such a path.
  app.enable('case sensitive routing');
  app.enable('strict routing');
  app.use((request, response, next) => {
    const requestId = stableRequestIdOf(request);
    response.setHeader('X-Request-Id', requestId);
    response.setHeader('Cache-Control', 'no-store');
    for (let at = 0; at < securityHeaders.length; at += 2) {
      response.setHeader(securityHeaders[at] as string, securityHeaders[at + 1] as string);
    }
    reportWhenFinished(options, request, response);
    if (hasForbiddenCharacters(request)) notFound(request, response);
    else next();
  });
  mount(app);
  app.use(notFound);
  app.use(errorHandler(options));
  return app;
}

function notFound(request: Request, response: Response): void {
  if (request.path.startsWith('/api/') || prefersJson(request.headers.accept)) {
    throw new ApiError('NOT_FOUND', `There is no route ${request.method} ${shorten(request.path)}`);
  }
  sendPage(request, response, 404, notFoundPage);
}

interface ResponseLocals {
  readonly organizationId?: string;
  readonly route?: Route;
}

function reportWhenFinished(
  { logger, onFinished, onRequestError }: AppOptions,
  request: Request,
  response: Response,
): void {
  const startedAt = performance.now();
  // The query is not logged, because it may contain personal data.
  const { method, path } = request;
  response.on('close', () => {
    const status = response.writableFinished ? response.statusCode : undefined;
    const durationMs = performance.now() - startedAt;
    const requestId = stableRequestIdOf(request);
    const { organizationId, route } = response.locals as ResponseLocals;
    // An error that an event listener throws would be uncaught.
    try {
      onFinished({ operation: route?.operationId, status, durationMs });
      const ms = Math.round(durationMs);
      logger.info({ requestId, method, path, status: status ?? 'aborted', ms, organizationId });
    } catch (error) {
      onRequestError(error, requestId);
    }
  });
}

function errorHandler({ onRequestError }: AppOptions): ErrorRequestHandler {
  return (error, request, response, _next) => {
    const requestId = stableRequestIdOf(request);
    if (error instanceof OAuthError) {
      if (error.status >= 500) onRequestError(error.cause ?? error, requestId);
      response.status(error.status).set(error.headers).json(error.body);
      return;
    }
    // Express throws a URIError for a path with invalid percent-encoding.
    const failure =
      error instanceof URIError
        ? validationError([{ path: 'path', message: 'is not valid percent-encoding' }])
        : error;
    onRequestError(failure, requestId);
    if (response.headersSent) response.destroy();
    else sendError(request, response, toApiError(failure));
  };
}
