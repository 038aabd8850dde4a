import { createServer, IncomingMessage, type Server, ServerResponse } from 'node:http';
import type { Express, Request, Response } from 'express';
import { answerMalformed } from './answer-malformed.js';
import { createDrain, hasUnreadBody } from './drain-request.js';
import { toApiError } from './error-response.js';
import { requestIdOf, stableRequestIdOf } from './request-id.js';
import { isPlain, makePlain } from './request-target.js';
import { sendError } from './send-response.js';
import { defaultTimeLimits, type TimeLimits } from './time-limits.js';

/** Handles some requests ahead of Express, which costs more than they do. */
export interface FirstHandler {
  /** Returns false, and leaves the request untouched, when it is not for this handler. */
  handle(request: IncomingMessage, response: ServerResponse): boolean;
}

export interface HttpServerOptions {
  readonly app: Express;
  readonly handlers: readonly FirstHandler[];
  /** Called with each error that a request handler or a listener throws. */
  readonly onRequestError: (error: unknown, requestId: string) => void;
  readonly timeLimits?: Partial<TimeLimits> | undefined;
}

// A visitor with a broken agent of 64 KB is redirected all the same.
const maxHeaderBytes = 80 * 1024;

// A chunk takes some microseconds, however small it is.
const freeChunks = 1_000;
const minMeanChunkBytes = 32;

/** An HTTP server that offers each request to `handlers` in turn, and then to the Express app. */
export function createHttpServer(options: HttpServerOptions): Server {
  const { app, handlers } = options;
  const limits = { ...defaultTimeLimits, ...options.timeLimits };
  const handle = (request: IncomingMessage, response: ServerResponse) => {
    try {
      if (!isPlain(request) && !settle(request, response)) return;
      for (const handler of handlers) if (handler.handle(request, response)) return;
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
      options.onRequestError(second, requestIdOf(undefined));
      socket.destroy();
    }
  });
  return server;
}

/** Answers 500, or ends the connection where a response has begun. Never throws. */
function fail(
  { onRequestError }: HttpServerOptions,
  request: IncomingMessage,
  response: ServerResponse,
  error: unknown,
): void {
  onRequestError(error, stableRequestIdOf(request));
  try {
    if (response.headersSent || response.destroyed) response.destroy();
    else sendError(request, response, toApiError(error));
  } catch (second) {
    onRequestError(second, stableRequestIdOf(request));
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
    sendError(request, response, toApiError(error));
    return false;
  }
}

/**
 * The classes of requests and responses that Express would otherwise turn each of its own into, by
 * changing the prototype. Once that has happened, every later redirect takes half as long again:
 * the engine gives up what it knew of the shapes of node:http's objects.
 */
function classesOf(app: Express) {
  const drainRequest = createDrain();
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
