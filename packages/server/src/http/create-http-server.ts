import { createServer, IncomingMessage, type Server, ServerResponse } from 'node:http';
import { parse as parseQuery } from 'node:querystring';
import express, {
  type ErrorRequestHandler,
  type Express,
  type Request,
  type Response,
} from 'express';
import type { Logger } from 'pino';
import { type MountOptions, mountRoutes } from '../api/mount-routes.js';
import { ApiError, shorten } from '../contract/api-error.js';
import type { Route } from '../contract/define-route.js';
import { OAuthError } from '../contract/oauth-error.js';
import type { AnsweredRequest } from '../health/request-meter.js';
import { homePage, notFoundPage } from '../pages/link-pages.js';
import { pageHeaders } from '../pages/page.js';
import type { QrPictureHandler } from '../qr/qr-picture-handler.js';
import type { RedirectHandler } from '../redirect/redirect-handler.js';
import { answerMalformed } from './answer-malformed.js';
import { drainRequest, hasUnreadBody } from './drain-request.js';
import { prefersJson } from './prefers-json.js';
import { problemBody, problemHeaders, toApiError } from './problem.js';
import { requestIdOf, stableRequestIdOf } from './request-id.js';
import { isAmbiguous, isPlain, makePlain } from './request-target.js';
import { withSecurityHeaders } from './security-headers.js';
import { sendProblem } from './send-answer.js';
import { defaultTimeLimits, type TimeLimits } from './time-limits.js';

export interface AdminServerOptions extends Omit<MountOptions, 'publicBodyTimeoutMs'> {
  readonly logger: Logger;
  /** Called with each error that no code expected. */
  readonly onUnexpected: (error: unknown, requestId: string) => void;
  readonly onAnswered: (answered: AnsweredRequest) => void;
  readonly timeLimits?: Partial<TimeLimits> | undefined;
}

export interface HttpServerOptions extends AdminServerOptions {
  readonly redirects: RedirectHandler;
  readonly pictures: QrPictureHandler;
  /** Whether operators have a listener of their own; then their routes are not found here. */
  readonly hasAdminListener: boolean;
}

// A visitor with a broken agent of 64 KB is redirected all the same.
const maxHeaderBytes = 80 * 1024;

// No route takes ten, and each unknown one is reported: a longer query is refused in any case.
const maxQueryFields = 32;

// A chunk takes some microseconds, however small it is.
const freeChunks = 1_000;
const minMeanChunkBytes = 32;

/** Links first, pictures second; everything else goes through the API's router. */
export function createHttpServer(options: HttpServerOptions): Server {
  const { redirects, pictures, hasAdminListener } = options;
  const mountOptions = withTimeouts(options);
  const app = createApp(options, (app) => {
    mountRoutes(app, mountOptions, ({ audience }) => !hasAdminListener || audience !== 'operator');
    app.get('/', (request, response) => {
      sendPage(request, response, 200, homePage);
    });
  });
  return serve(
    options,
    app,
    (request, response) =>
      redirects.handle(request, response) || pictures.handle(request, response),
  );
}

/** What SHORTY_ADMIN_LISTEN serves: the routes for operators, and nothing else. */
export function createAdminServer(options: AdminServerOptions): Server {
  const mountOptions = withTimeouts(options);
  const app = createApp(options, (app) => {
    mountRoutes(app, mountOptions, ({ audience }) => audience === 'operator');
  });
  return serve(options, app, () => false);
}

function withTimeouts(options: AdminServerOptions): MountOptions {
  const publicBodyTimeoutMs = options.timeLimits?.publicBody ?? defaultTimeLimits.publicBody;
  return { ...options, publicBodyTimeoutMs };
}

/** An HTTP server that gives `app` what `handleFirst` leaves. */
function serve(
  options: AdminServerOptions,
  app: Express,
  handleFirst: (request: IncomingMessage, response: ServerResponse) => boolean,
): Server {
  const limits = { ...defaultTimeLimits, ...options.timeLimits };
  const handle = (request: IncomingMessage, response: ServerResponse) => {
    try {
      if (!isPlain(request) && !settle(request, response)) return;
      if (handleFirst(request, response)) return;
      // Called only with what the error handler of the app itself has thrown.
      const done = (error?: unknown) => fail(options, request, response, error);
      app(request as Request, response as Response, done);
    } catch (error) {
      fail(options, request, response, error);
    }
  };
  const server = createServer(
    {
      ...classesOf(app),
      maxHeaderSize: maxHeaderBytes,
      headersTimeout: limits.headers,
      requestTimeout: limits.request,
      keepAliveTimeout: limits.keepAlive,
      connectionsCheckingInterval: limits.checks,
      // Two Host lines must not pass for the first of them, and none is answered as all faults are.
      joinDuplicateHeaders: true,
      requireHostHeader: false,
    },
    handle,
  );
  // The body is asked for where it is read, after authentication.
  server.on('checkContinue', handle);
  server.on('clientError', (error, socket) => {
    try {
      answerMalformed(error, socket);
    } catch (second) {
      options.onUnexpected(second, requestIdOf(undefined));
      socket.destroy();
    }
  });
  return server;
}

/** Answers 500, or ends the connection where a response has begun. Never throws. */
function fail(
  { onUnexpected }: AdminServerOptions,
  request: IncomingMessage,
  response: ServerResponse,
  error: unknown,
): void {
  onUnexpected(error, stableRequestIdOf(request));
  try {
    if (response.headersSent || response.destroyed) response.destroy();
    else sendProblem(request, response, toApiError(error));
  } catch (second) {
    onUnexpected(second, stableRequestIdOf(request));
    response.destroy();
  }
}

/** Makes a request plain, or refuses it. */
function settle(request: IncomingMessage, response: ServerResponse): boolean {
  try {
    makePlain(request);
    return true;
  } catch (error) {
    // What follows on the connection may belong to the part of it that was read otherwise.
    response.shouldKeepAlive = false;
    sendProblem(request, response, toApiError(error));
    return false;
  }
}

/**
 * The classes of requests and responses that Express would otherwise turn each of its own into, by
 * changing the prototype. Once that has happened, every later redirect takes half as long again:
 * the engine gives up what it knew of the shapes of node:http's objects.
 */
function classesOf(app: Express) {
  class ApiRequest extends IncomingMessage {
    #chunks = 0;
    #bytes = 0;

    /** Ends a connection whose chunks are so small that reading them costs more than their bytes. */
    override push(chunk: Buffer | null, encoding?: BufferEncoding): boolean {
      if (chunk === null) return super.push(null);
      if (this.destroyed) return false;
      this.#chunks += 1;
      this.#bytes += chunk.length;
      if (this.#chunks > freeChunks + this.#bytes / minMeanChunkBytes) {
        this.destroy();
        return false;
      }
      return super.push(chunk, encoding);
    }
  }
  class ApiResponse<
    Request extends IncomingMessage = IncomingMessage,
  > extends ServerResponse<Request> {
    /** Sends the response at once, and ends it when the body of its request has been read. */
    // biome-ignore lint/suspicious/noExplicitAny: the overloads of end() have no common signature
    override end(...args: any[]): this {
      if (this.writableEnded || !hasUnreadBody(this.req)) return super.end(...args);
      const [body, encoding] = args;
      const done = args.find((each) => typeof each === 'function');
      if (typeof body === 'string' && typeof encoding === 'string') {
        this.write(body, encoding as BufferEncoding);
      } else if (typeof body === 'string' || body instanceof Uint8Array) this.write(body);
      else this.flushHeaders();
      void drainRequest(this.req).then(() => super.end(done));
      return this;
    }
  }
  Object.setPrototypeOf(ApiRequest.prototype, app.request);
  Object.setPrototypeOf(ApiResponse.prototype, app.response);
  Object.assign(app, { request: ApiRequest.prototype, response: ApiResponse.prototype });
  return { IncomingMessage: ApiRequest, ServerResponse: ApiResponse };
}

const securityHeaders = withSecurityHeaders();

function createApp(options: AdminServerOptions, mount: (app: Express) => void): Express {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('query parser', (text: string) =>
    parseQuery(text, '&', '=', { maxKeys: maxQueryFields }),
  );
  // A path that differs from the table's in case, or by a slash, is another path: a proxy's rule for
  // the table's path does not apply to it.
  app.enable('case sensitive routing');
  app.enable('strict routing');
  app.use((request, response, next) => {
    const requestId = requestIdOf(request.headers['x-request-id']);
    response.locals.requestId = requestId;
    response.setHeader('X-Request-Id', requestId);
    response.setHeader('Cache-Control', 'no-store');
    for (let at = 0; at < securityHeaders.length; at += 2) {
      response.setHeader(securityHeaders[at] as string, securityHeaders[at + 1] as string);
    }
    tellWhenFinished(options, request, response);
    next();
  });
  app.use((request, response, next) => {
    if (isAmbiguous(request)) notFound(request, response);
    else next();
  });
  mount(app);
  app.use(notFound);
  app.use(errorHandler(options));
  return app;
}

function notFound(request: Request, response: Response): void {
  if (request.path.startsWith('/api/') || prefersJson(request.headers.accept)) {
    throw new ApiError(
      'NOT_FOUND',
      `There is nothing at ${request.method} ${shorten(request.path)}`,
    );
  }
  sendPage(request, response, 404, notFoundPage);
}

interface ResponseLocals {
  readonly requestId: string;
  readonly organizationId?: string;
  readonly route?: Route;
}

function tellWhenFinished(
  { logger, onAnswered, onUnexpected }: AdminServerOptions,
  request: Request,
  response: Response,
): void {
  const startedAt = performance.now();
  // The path and not the query: what callers search for is theirs.
  const { method, path } = request;
  response.on('close', () => {
    const status = response.writableFinished ? response.statusCode : undefined;
    const durationMs = performance.now() - startedAt;
    const { requestId, organizationId, route } = response.locals as ResponseLocals;
    // An event of a stream has no caller that could catch anything.
    try {
      onAnswered({ operation: route?.operationId, status, durationMs });
      const ms = Math.round(durationMs);
      logger.info({ requestId, method, path, status: status ?? 'aborted', ms, organizationId });
    } catch (error) {
      onUnexpected(error, requestId);
    }
  });
}

function errorHandler({ logger, onUnexpected }: AdminServerOptions): ErrorRequestHandler {
  return (error, _request, response, _next) => {
    const requestId = response.locals.requestId as string;
    if (error instanceof OAuthError) {
      if (error.code === 'server_error') onUnexpected(error.cause ?? error, requestId);
      else if (error.status >= 500) logger.error({ requestId, err: error.cause }, error.code);
      response.status(error.status).set(error.headers).json(error.body);
      return;
    }
    // Express refuses paths that are no valid percent-encoding by itself.
    const problem =
      error instanceof URIError
        ? new ApiError('VALIDATION_FAILED', 'The path is not valid percent-encoding', {
            details: [{ path: 'path', message: 'is not valid percent-encoding' }],
          })
        : toApiError(error);
    if (problem.code === 'INTERNAL') onUnexpected(problem.cause ?? problem, requestId);
    else if (problem.status >= 500) {
      logger.error({ requestId, err: problem.cause ?? problem }, problem.code);
    }
    if (response.headersSent) {
      response.destroy();
      return;
    }
    response
      .status(problem.status)
      .set(problemHeaders(problem))
      .json(problemBody(problem, requestId));
  };
}

function sendPage(request: Request, response: Response, status: number, page: string): void {
  for (let at = 0; at < pageHeaders.length; at += 2) {
    response.setHeader(pageHeaders[at] as string, pageHeaders[at + 1] as string);
  }
  response.status(status).end(request.method === 'HEAD' ? undefined : page);
}
