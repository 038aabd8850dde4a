import { createHook } from 'node:async_hooks';
import { createServer, IncomingMessage, type Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Express, Request, Response } from 'express';
import { ApiError } from '../contract/api-error.js';
import { answerMalformed } from './answer-malformed.js';
import { toApiError } from './error-response.js';
import { drainAfter, hasUnreadBody } from './read-body.js';
import { normalizeTarget } from './request-target.js';
import { respondToError, sendError } from './send-response.js';

/**
 * Handles frequent requests before Express, whose overhead would exceed their own cost. Returns false and does
 * not change the request when another handler must serve it.
 */
export type FirstHandler = (request: IncomingMessage, response: ServerResponse) => boolean;

/** Time limits for clients, in milliseconds. */
export type TimeLimits = Readonly<typeof defaultTimeLimits>;

export const defaultTimeLimits = {
  /** For the headers of a request, from its first byte or, for the first request, from the connection. */
  // Long enough for a slow network, and short enough that stalled clients do not accumulate.
  headers: 19_000,
  /** For a body, from the moment when the server begins to read it. Others may wait for its slot. */
  body: 10_000,
  /** For a whole request, from the same moment as `headers`. */
  // A large body may wait 20 seconds until the server begins to read it.
  request: 50_000,
  /** The interval at which `headers` and `request` are checked. */
  checks: 1_000,
  /** For a connection on which nothing moves while a request is running: the client does not read. */
  response: 120_000,
  /** For an idle connection between two requests. */
  // Longer than the idle time of common proxies. Otherwise the server could close a connection at the
  // moment when a proxy reuses it.
  keepAlive: 75_000,
};

// A visitor with a User-Agent of 64 KB must be redirected, too.
const maxHeaderBytes = 80 * 1024;

/** An HTTP server that offers each request to `handlers` in turn, and then to the Express app. */
export function createHttpServer(options: {
  readonly app: Express;
  readonly handlers: readonly FirstHandler[];
  /** Called with the error of each failed request, including 4xx errors. */
  readonly onRequestError: (error: unknown, requestId: string) => void;
  readonly timeLimits: TimeLimits;
}): Server {
  const { app, handlers, onRequestError, timeLimits: limits } = options;
  /** Sends the error response of a request. Never throws. */
  const fail = (response: ServerResponse, error: unknown) => {
    // The end of the connection would reset it while the client sends, and the client could lose the
    // response.
    if (hasUnreadBody(response.req)) response.shouldKeepAlive = true;
    const isOAuth = error instanceof ApiError && error.oauthCode !== undefined;
    const thrown = (isOAuth && error.cause) || error;
    respondToError(response, thrown, onRequestError, () => sendError(response, toApiError(error)));
  };
  const handleNow = (request: IncomingMessage, response: ServerResponse) => {
    try {
      drainAfter(request, response);
      normalizeTarget(request);
      for (const handleFirst of handlers) if (handleFirst(request, response)) return;
      // The app handles every request, so Express calls it with the errors of routes only.
      app(request as Request, response as Response, (error?: unknown) => fail(response, error));
    } catch (error) {
      // If the target is invalid, a proxy may regard the next bytes as a part of this request.
      response.shouldKeepAlive = false;
      fail(response, error);
    }
  };
  const handleInTurn = createPipeline(handleNow);
  const handle = (request: IncomingMessage, response: ServerResponse) => {
    // Node gives the socket to one response of a connection at a time.
    if (response.socket === null) handleInTurn(request, response);
    else handleNow(request, response);
  };
  const server = createServer(
    {
      ...classesOf(app),
      maxHeaderSize: maxHeaderBytes,
      headersTimeout: limits.headers,
      requestTimeout: limits.request,
      keepAliveTimeout: limits.keepAlive,
      connectionsCheckingInterval: limits.checks,
      // `normalizeTarget` refuses requests without exactly one Host header. Node itself would use the first
      // of two, and would send its own error response if there is none.
      joinDuplicateHeaders: true,
      requireHostHeader: false,
    },
    handle,
  );
  server.timeout = limits.response;
  // A client may close its side after its last request, and still gets all responses. By default, Node
  // closes the connection then. The types of Node do not have this property.
  Object.assign(server, { httpAllowHalfOpen: true });
  // `100 Continue` is sent where the body is read, after authentication.
  server.on('checkContinue', handle);
  server.on('clientError', answerMalformed);
  return server;
}

/**
 * Returns request and response classes with Express's methods. Express itself would change the
 * prototype of each object. V8 would then deoptimize node:http's objects, and every later redirect
 * would take 50 % longer.
 */
function classesOf(app: Express) {
  class ApiRequest extends IncomingMessage {}
  class ApiResponse<
    Request extends IncomingMessage = IncomingMessage,
  > extends ServerResponse<Request> {}
  Object.setPrototypeOf(ApiRequest.prototype, app.request);
  Object.setPrototypeOf(ApiResponse.prototype, app.response);
  Object.assign(app, { request: ApiRequest.prototype, response: ApiResponse.prototype });
  return { IncomingMessage: ApiRequest, ServerResponse: ApiResponse };
}

const retained: object[] = [];

/**
 * Retains one of the objects in which Node holds the callbacks of `nextTick`. If a garbage collection finds
 * none, V8 forgets their hidden class, and slow code creates all later ones: a redirect takes 8 % longer.
 */
function retainTick(): void {
  const hook = createHook({
    init: (_id, type, _triggerId, tick) => {
      if (type === 'TickObject') retained.push(tick);
    },
  }).enable();
  process.nextTick(() => {});
  hook.disable();
}
retainTick();

type Handle = (request: IncomingMessage, response: ServerResponse) => void;

// One read of 64 KB has up to 3,600 requests. Clients that pipeline send some dozens.
const maxWaiting = 1_024;

/**
 * Returns a function for requests whose predecessor on the connection has no complete response yet. It
 * calls `handle` when that response is finished, in a later turn of the event loop. Otherwise one read
 * of a socket would run thousands of handlers in one turn.
 *
 * Requests that wait are dropped when the connection closes, which `handle` would not detect.
 */
export function createPipeline(handle: Handle): Handle {
  const waiting = new WeakMap<Socket, number>();
  return (request, response) => {
    const { socket } = request;
    if (socket.destroyed) return;
    const count = (waiting.get(socket) ?? 0) + 1;
    if (count > maxWaiting) {
      socket.destroy();
      return;
    }
    waiting.set(socket, count);
    // Node emits this event when the previous response is finished.
    response.once('socket', () => {
      waiting.set(socket, (waiting.get(socket) ?? 0) - 1);
      setImmediate(() => {
        if (socket.writable) handle(request, response);
      });
    });
  };
}
