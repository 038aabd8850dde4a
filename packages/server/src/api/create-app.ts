import { parse as parseQuery } from 'node:querystring';
import cors from 'cors';
import express, {
  type ErrorRequestHandler,
  type Express,
  type Request,
  type RequestHandler,
  type Response,
  type Router,
} from 'express';
import type { Logger } from 'pino';
import type { Config } from '../config.js';
import { ApiError, shorten } from '../contract/api-error.js';
import type { Route } from '../contract/define-route.js';
import { rateLimitFields } from '../contract/rate-limit.js';
import type { FinishedRequest } from '../health/request-metrics.js';
import { stableRequestIdOf } from '../http/request-id.js';
import { sendPage } from '../http/send-response.js';
import { securityHeaders } from '../pages/security-headers.js';
import type { PagesFor } from '../pages/visitor-pages.js';
import { prefersJson } from '../parse-accept.js';
import { serveDashboard } from './dashboard/dashboard-files.js';
import { type OidcHandlerOptions, oidcHandler } from './dashboard/oidc-handler.js';
import { type MountOptions, mountRoutes } from './mount-routes.js';

export interface AppOptions extends MountOptions {
  /** Adds the pages and images for visitors, which custom domains have, too. */
  readonly mountVisitorPages: (pages: Router) => void;
  readonly hideApi: RequestHandler;
  /** Responds to a request of a visitor at an address that no link and no route has. */
  readonly refuseVisitor: (response: Response, showPage: () => void) => void;
  readonly pagesFor: PagesFor;
  readonly mountCompat: (app: Express, options: MountOptions) => void;
  /** Signs people in by a provider; undefined without one. */
  readonly provider: OidcHandlerOptions | undefined;
  readonly logger: Logger;
  readonly onRequestError: (error: unknown, requestId: string) => void;
  readonly onFinished: (request: FinishedRequest) => void;
}

// RFC 9112 allows no backslash in a path and no fragment. Some parsers read `/a\b#` as `/a/b`, so a
// proxy's rule for `/a/b` could be bypassed.
const forbiddenTarget = /^[^?]*\\|#/;

// More than a valid query has: the filters of a report may have 20 values each. A longer query has an
// unknown field or too many values of one among the first of these, and is refused.
const maxQueryFields = 256;

/**
 * Creates the app of a listener: of the public one without the operator routes, of SHORTY_ADMIN_LISTEN
 * with only these, or of one that has all routes.
 */
export function createApp(options: AppOptions, listener: 'public' | 'admin' | 'both'): Express {
  const { config } = options;
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
  if (listener !== 'admin') {
    const pages = express.Router({ caseSensitive: true, strict: true });
    options.mountVisitorPages(pages);
    app.use((request, response, next) =>
      forbiddenTarget.test(request.url) ? next() : pages(request, response, next),
    );
    app.use(options.hideApi);
  }
  const showPage = (response: Response) =>
    sendPage(response, 404, options.pagesFor(response.req.headers).notFound);
  const refuse = (request: Request, response: Response) => {
    if (request.path.startsWith('/api/') || prefersJson(request.headers.accept)) {
      const route = `${request.method} ${shorten(request.path)}`;
      throw new ApiError('NOT_FOUND', `There is no route ${route}`);
    }
    if (listener === 'admin') showPage(response);
    else options.refuseVisitor(response, () => showPage(response));
  };
  app.use((request, response, next) => {
    response.set({
      'X-Request-Id': stableRequestIdOf(request),
      'Cache-Control': 'no-store',
      ...securityHeaders,
    });
    reportWhenFinished(options, request, response);
    if (forbiddenTarget.test(request.url)) refuse(request, response);
    else next();
  });
  /** Outside the API, a path with invalid percent-encoding is an unknown address like any other. */
  const refuseMalformed: ErrorRequestHandler = (error, request, response, next) => {
    if (error instanceof URIError && !request.path.startsWith('/api/')) refuse(request, response);
    else next(error);
  };
  const isMounted = ({ audience, access }: Route) =>
    (access !== 'operator' || config.operatorKey !== undefined) &&
    (listener === 'both' || (audience === 'operator') === (listener === 'admin'));
  // Only the API: browsers follow short links and show images without it.
  if (config.corsOrigins) app.use('/api/v1', createCors(config.corsOrigins));
  mountRoutes(app, options, isMounted);
  // Before the APIs of other services, whose clients do not expect a page.
  app.use(refuseMalformed);
  if (listener !== 'admin') options.mountCompat(app, options);
  if (config.dashboard && listener !== 'admin') {
    if (options.provider) app.use('/dashboard', oidcHandler(options.provider));
    app.use('/dashboard', serveDashboard());
  }
  app.use(refuse);
  return app;
}

function reportWhenFinished(
  { logger, onFinished, onRequestError }: AppOptions,
  request: Request,
  response: Response,
): void {
  const startedAt = performance.now();
  const requestId = stableRequestIdOf(request);
  // The query is not logged, because it may contain personal data.
  const { method, path } = request;
  response.once('close', () => {
    const status = response.writableFinished ? response.statusCode : undefined;
    const durationMs = performance.now() - startedAt;
    const { organizationId, route } = response.locals;
    // An error that an event listener throws would be uncaught.
    try {
      onFinished({ operation: route?.operationId, status, durationMs });
      logger.info({
        requestId,
        method,
        path,
        status: status ?? 'aborted',
        ms: Math.round(durationMs),
        organizationId,
      });
    } catch (error) {
      onRequestError(error, requestId);
    }
  });
}

/**
 * Lets scripts of other origins call the API (the Fetch standard, "CORS protocol"). Credentials of the
 * browser are never allowed: scripts send an access token or an API key themselves.
 */
function createCors(origins: NonNullable<Config['corsOrigins']>): RequestHandler {
  return cors({
    origin: origins === '*' ? '*' : [...origins],
    methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
    // Browsers show scripts only these headers, and a few common ones such as Content-Type.
    exposedHeaders: [
      ...Object.keys(rateLimitFields),
      'Retry-After',
      'X-Request-Id',
      'ETag',
      'Location',
      'Idempotent-Replayed',
    ],
    // Two hours: the longest that Chromium accepts.
    maxAge: 7_200,
  });
}
