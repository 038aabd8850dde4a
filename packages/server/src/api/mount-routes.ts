import type { Express, Request, Response } from 'express';
import type { AuthService } from '../auth/auth-service.js';
import { ApiError } from '../contract/api-error.js';
import type { Caller } from '../contract/caller.js';
import { type Route, scopesOf } from '../contract/define-route.js';
import { rateLimitHeaders } from '../contract/rate-limit.js';
import type { BodySlots } from '../http/body-slots.js';
import { toOAuthError } from '../http/error-response.js';
import type { HandlerInput, HandlersOf, Reply } from '../http/handlers.js';
import type { RateLimiter } from '../http/rate-limiter.js';
import { bodyKindOf, check, readIdempotency, readInput } from '../http/read-input.js';
import { clientAddressOf } from '../network/client-address.js';
import { type AddressRanges, addressBlockOf } from '../network/ip-address.js';
import type { Clock } from '../ports.js';
import { api } from './api.js';

/** One handler for each operation of the contract. */
export type Handlers = HandlersOf<typeof api>;

export interface MountOptions {
  readonly handlers: Handlers;
  readonly auth: Pick<AuthService, 'authenticate'>;
  readonly clock: Clock;
  readonly proxies: AddressRanges;
  /** Undefined lets everybody in, however often. */
  readonly rateLimiter: RateLimiter | undefined;
  /** Limits what an address may send without a token; undefined sets no limit. */
  readonly publicRateLimiter: RateLimiter | undefined;
  readonly bodySlots: BodySlots;
  /** For the whole body of a request without a token. */
  readonly publicBodyTimeoutMs: number;
  /** Counts a request of an organization; resolves when that is kept. */
  readonly countCall: (organizationId: string) => Promise<void>;
}

type AnyHandler = (input: HandlerInput<Route>) => Promise<Reply<unknown>>;

/**
 * Puts every route of the contract on the app: authenticate, check the scope, read and check the
 * input, call the handler, answer in the envelope. A path that exists answers other methods with 405.
 */
export function mountRoutes(
  app: Express,
  options: MountOptions,
  isMounted: (route: Route) => boolean = () => true,
): void {
  const routes = (api as readonly Route[]).filter(
    (route) => !route.isForVisitors && isMounted(route),
  );
  // Path by path, so that /urls/bulk refuses a GET before /urls/{id} takes "bulk" for an id.
  for (const path of new Set(routes.map((route) => route.path))) {
    const onPath = routes.filter((route) => route.path === path);
    for (const route of onPath) {
      // The table types each handler by its own route; here they are all alike.
      const handler = options.handlers[
        route.operationId as keyof Handlers
      ] as unknown as AnyHandler;
      app[route.method](expressPath(path), async (request, response) => {
        response.locals.route = route;
        await serve(route, handler, options, request, response);
      });
    }
    const methods = onPath.map((route) => route.method);
    const allow = [...methods, ...(methods.includes('get') ? ['head'] : [])]
      .map((method) => method.toUpperCase())
      .join(', ');
    app.all(expressPath(path), (request) => {
      throw new ApiError('METHOD_NOT_ALLOWED', `${request.method} is not allowed here: ${allow}`, {
        headers: { Allow: allow },
      });
    });
  }
}

async function serve(
  route: Route,
  handler: AnyHandler,
  options: MountOptions,
  request: Request,
  response: Response,
): Promise<void> {
  if (route.access === 'public') {
    send(response, await answer(route, handler, options, request, response));
    return;
  }
  const caller = await options.auth.authenticate(request.headers.authorization);
  response.locals.organizationId = caller.organizationId;
  // Whatever becomes of the request: no answer leaves before its call is kept.
  const counted = options.countCall(caller.organizationId);
  // It may fail before anybody awaits it; `finally` below throws its error.
  counted.catch(() => {});
  const reply = await answer(route, handler, options, request, response, caller).finally(
    () => counted,
  );
  send(response, reply);
}

async function answer(
  route: Route,
  handler: AnyHandler,
  options: MountOptions,
  request: Request,
  response: Response,
  caller?: Caller,
): Promise<Reply<unknown>> {
  const { clock, proxies, rateLimiter, publicRateLimiter, bodySlots, publicBodyTimeoutMs } =
    options;
  if (caller) {
    if (rateLimiter) {
      response.set(rateLimitHeaders(rateLimiter.take(caller.organizationId, clock())));
    }
    checkScope(route, caller);
  }
  const kind = bodyKindOf(route, request.headers);
  try {
    const params = check(route.params, request.params);
    const query = check(route.query, request.query);
    const address = clientAddressOf(
      request.socket.remoteAddress,
      request.headers['x-forwarded-for'],
      proxies,
    );
    // What takes no body is health and documentation.
    if (!caller && route.body) publicRateLimiter?.take(addressBlockOf(address), clock());
    const body = await readInput(kind, request, response, {
      slot: caller && bodySlots.slotFor(caller.organizationId),
      timeoutMs: publicBodyTimeoutMs,
    });
    const isForm = kind === 'form';
    const hasBody = !isForm && !(route.bodyOptional && body.value === undefined);
    return await handler({
      params,
      query,
      ...(hasBody && { body: check(route.body, body.value) }),
      ...(isForm && { form: check(route.form, body.value) }),
      caller,
      idempotency: caller && readIdempotency(route, request, body, caller.organizationId, clock()),
      headers: request.headers,
      address,
    } as HandlerInput<Route>);
  } catch (error) {
    throw kind === 'form' ? toOAuthError(error) : error;
  }
}

function checkScope(route: Route, { scopes }: Caller): void {
  const needed = scopesOf(route);
  if (needed && !needed.some((scope) => scopes.has(scope))) {
    throw new ApiError('INSUFFICIENT_SCOPE', `This needs the scope ${needed.join(' or ')}`);
  }
}

function send(response: Response, reply: Reply<unknown>): void {
  response.status(reply.status);
  for (const [name, value] of Object.entries(reply.headers ?? {})) response.setHeader(name, value);
  if ('text' in reply) {
    response.type(reply.mediaType).send(reply.text);
    return;
  }
  if ('bytes' in reply) {
    response.type(reply.mediaType).send(reply.bytes);
    return;
  }
  if ('data' in reply) {
    if (reply.replayed) response.setHeader('Idempotent-Replayed', 'true');
    sendJson(response, { success: true, data: reply.data });
    return;
  }
  sendJson(response, reply.body);
}

// Express's own would look for an ETag and a charset first.
function sendJson(response: Response, body: unknown): void {
  const text = Buffer.from(JSON.stringify(body));
  response.setHeader('Content-Type', 'application/json; charset=utf-8');
  response.setHeader('Content-Length', text.length);
  response.end(response.req.method === 'HEAD' ? undefined : text);
}

function expressPath(path: string): string {
  return path.replace(/\{(\w+)\}/g, ':$1');
}
