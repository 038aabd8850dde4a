import type { Express, Request, Response } from 'express';
import type { AuthService } from '../auth/auth-service.js';
import type { Config } from '../config.js';
import { ApiError } from '../contract/api-error.js';
import type { Caller } from '../contract/caller.js';
import { isWrite, type Route, scopesOf } from '../contract/define-route.js';
import { rateLimitHeaders } from '../contract/rate-limit.js';
import { replayedHeader, toOAuthError } from '../http/error-response.js';
import type { HandlerInput, HandlersOf, Reply } from '../http/handlers.js';
import type { RateLimiter } from '../http/rate-limiter.js';
import {
  type BodyLimits,
  bodyKindOf,
  check,
  checkQuery,
  readIdempotency,
  readInput,
} from '../http/read-input.js';
import type { WriteOrigin } from '../idempotency/audit-entry.js';
import type { IdempotentRequest, WriteContext } from '../idempotency/with-idempotency-key.js';
import { clientAddressOf } from '../network/client-address.js';
import { addressBlockOf } from '../network/ip-address.js';
import { requireSameOrigin } from '../people/session-cookie.js';
import type { Clock, NewId } from '../ports.js';
import { etagOf, type IfMatch, readIfMatch } from '../preconditions/if-match.js';
import { operatorOwner } from '../storage/database.js';
import { api } from './api.js';

export type Handlers = HandlersOf<typeof api>;

type DataOf<Id extends keyof Handlers> =
  Awaited<ReturnType<Handlers[Id]>> extends Reply<infer Data> ? Data : never;

/** Does an operation of the API with unchecked input, and returns its status and data. */
export type CallOperation = <Id extends keyof Handlers>(
  operationId: Id,
  input: { readonly query?: object; readonly body?: unknown },
) => Promise<{ readonly status: number; readonly data: DataOf<Id> }>;

export interface MountOptions {
  readonly handlers: Handlers;
  readonly auth: Pick<AuthService, 'authenticate' | 'authenticateOperator'>;
  readonly clock: Clock;
  readonly newId: NewId;
  readonly config: Config;
  /** Limits the requests of an organization; undefined sets no limit. */
  readonly rateLimiter: RateLimiter | undefined;
  /** Limits the requests of an address without a token; undefined sets no limit. */
  readonly publicRateLimiter: RateLimiter | undefined;
  readonly bodies: BodyLimits;
  readonly publicUrl: () => string;
  /** Counts an API call of an organization; resolves when the count is durable. */
  readonly countCall: (organizationId: string) => Promise<void>;
}

type AnyHandler = (input: HandlerInput<Route>) => Promise<Reply<unknown>>;

interface Call {
  readonly route: Route;
  readonly handler: AnyHandler;
  readonly request: Request;
  readonly response: Response;
}

/**
 * Mounts the contract's routes on an Express app. A route authenticates the request, checks its scope,
 * validates its input, calls the handler and sends the response. Other methods of a path return 405.
 */
export function mountRoutes(
  app: Express,
  options: MountOptions,
  isMounted: (route: Route) => boolean,
): void {
  const routes = (api as readonly Route[]).filter(
    (route) => !route.isForVisitors && isMounted(route),
  );
  // All methods of one path are mounted together, with the 405 for the others. Otherwise a GET of
  // /urls/bulk would match /urls/{id} with the id "bulk".
  for (const path of new Set(routes.map((route) => route.path))) {
    const onPath = routes.filter((route) => route.path === path);
    const expressPath = path.replace(/\{(\w+)\}/g, ':$1');
    for (const route of onPath) {
      // The table types each handler by its own route; here all handlers have one type.
      const handler = options.handlers[
        route.operationId as keyof Handlers
      ] as unknown as AnyHandler;
      app[route.method](expressPath, async (request, response) => {
        response.locals.route = route;
        send(response, route, await serve({ route, handler, request, response }, options));
      });
    }
    const methods = onPath.map((route) => route.method);
    const allow = [...methods, ...(methods.includes('get') ? ['head'] : [])]
      .map((method) => method.toUpperCase())
      .join(', ');
    app.all(expressPath, (request) => {
      throw new ApiError('METHOD_NOT_ALLOWED', `${request.method} is not allowed here: ${allow}`, {
        headers: { Allow: allow },
      });
    });
  }
}

export type DoAsCaller = ReturnType<typeof doAsCallerOf>;

/**
 * Returns a function that does the work of a request of another API as one call of this one: with the same
 * access, scopes, limits and checks of the input. It throws what this API throws.
 */
export function doAsCallerOf(options: MountOptions) {
  return async <Result>(
    token: string | undefined,
    request: Request,
    response: Response,
    work: (call: CallOperation) => Promise<Result>,
  ): Promise<Result> => {
    const caller = await options.auth.authenticate({ authorization: `Bearer ${token ?? ''}` });
    const address = addressOf(request, options);
    const call: CallOperation = async (operationId, { query, body }) => {
      const route = api.find((each) => each.operationId === operationId) as Route;
      checkScope(route, caller);
      const json = check(route.body, body);
      const context = contextOf(route, options, caller, address, json);
      const reply = await (options.handlers[operationId] as unknown as AnyHandler)({
        params: undefined,
        query: check(route.query, checkQuery(query ?? {})),
        body: json,
        caller,
        context,
        headers: request.headers,
        address,
      } as HandlerInput<Route>);
      const data = 'json' in reply ? JSON.parse(reply.json) : 'data' in reply && reply.data;
      return { status: reply.status, data };
    };
    return admit(caller, response, options, () => work(call));
  };
}

async function serve(call: Call, options: MountOptions): Promise<Reply<unknown>> {
  const { route, request, response } = call;
  if (route.access === 'public') return handle(call, options, undefined);
  if (route.access === 'operator') {
    await options.auth.authenticateOperator(
      request.headers.authorization,
      addressBlockOf(addressOf(request, options)),
    );
    return handle(call, options, undefined);
  }
  const caller = await options.auth.authenticate(request.headers);
  // Another site can make a browser send the cookie of a session.
  if (caller.user && route.method !== 'get') {
    requireSameOrigin(options.publicUrl(), request.headers);
  }
  return admit(caller, response, options, () => handle(call, options, caller));
}

/** Counts the API call of a caller, and does its work within the rate limit. */
async function admit<Result>(
  { organizationId }: Caller,
  response: Response,
  { rateLimiter, countCall }: MountOptions,
  work: () => Promise<Result>,
): Promise<Result> {
  response.locals.organizationId = organizationId;
  // No response is sent before the count is durable, whether the request succeeds or fails.
  const counted = countCall(organizationId);
  // Prevents an unhandled rejection; `finally` below throws the error.
  counted.catch(() => {});
  try {
    if (rateLimiter) response.set(rateLimitHeaders(await rateLimiter(organizationId)));
    return await work();
  } finally {
    await counted;
  }
}

async function handle(
  { route, handler, request, response }: Call,
  options: MountOptions,
  caller: Caller | undefined,
): Promise<Reply<unknown>> {
  const { clock, publicRateLimiter, bodies } = options;
  const { headers } = request;
  if (caller) checkScope(route, caller);
  const kind = bodyKindOf(route, headers);
  try {
    const params = check(route.params, request.params);
    const query = check(route.query, checkQuery(request.query));
    const address = addressOf(request, options);
    // Public routes without a body are health and documentation, which have no limit.
    if (route.access === 'public' && route.body) await publicRateLimiter?.(addressBlockOf(address));
    const body = await readInput(kind, response, caller?.organizationId, bodies);
    const isForm = kind === 'form';
    const hasBody = !isForm && !(route.bodyOptional && body.value === undefined);
    const json = hasBody ? check(route.body, body.value) : undefined;
    const idempotency = readIdempotency(route, request, body, caller, clock());
    const ifMatch = readIfMatch(route, headers['if-match']);
    return await handler({
      params,
      query,
      ...(hasBody && { body: json }),
      ...(isForm && { form: check(route.form, body.value) }),
      caller,
      context: contextOf(route, options, caller, address, json, idempotency, ifMatch),
      headers,
      address,
    } as HandlerInput<Route>);
  } catch (error) {
    throw kind === 'form' ? toOAuthError(error) : error;
  }
}

/** Returns what a change needs of its request; a route that changes nothing has no `write`. */
function contextOf(
  route: Route,
  { clock, newId }: MountOptions,
  caller: Caller | undefined,
  address: string,
  body: unknown,
  idempotency?: IdempotentRequest,
  ifMatch?: IfMatch,
): WriteContext {
  const { method, path } = route;
  const changesOneRecord = (method === 'patch' || method === 'put') && !path.endsWith('/bulk');
  const newOrigin = (): WriteOrigin => ({
    entryId: newId(),
    ...actorOf(caller),
    address: address || null,
    operation: route.operationId,
    fields: changesOneRecord ? Object.keys(body ?? {}) : [],
    clock,
  });
  return {
    organizationId: caller?.organizationId ?? operatorOwner,
    restriction: caller?.restriction,
    now: clock(),
    write: isWrite(route) ? { origin: newOrigin(), idempotency } : undefined,
    ifMatch,
  };
}

/** Returns who makes a write. Without a caller, it is the operator. */
function actorOf(caller: Caller | undefined): Pick<WriteOrigin, 'actorType' | 'actorId'> {
  if (!caller) return { actorType: 'operator', actorId: null };
  const { client, apiKey, user } = caller;
  if (user) return { actorType: 'user', actorId: user.id };
  if (apiKey) return { actorType: 'apiKey', actorId: apiKey.id };
  return { actorType: 'client', actorId: client?.id ?? null };
}

function addressOf({ socket, headers }: Request, { config }: MountOptions): string {
  const { remoteAddress } = socket;
  return clientAddressOf(remoteAddress, headers['x-forwarded-for'], config.trustedProxies);
}

function checkScope(route: Route, { scopes, user, restriction }: Caller): void {
  if (restriction && !route.takesRestrictedKeys) {
    const message = 'The API key is restricted to some links and cannot do this';
    throw new ApiError('INSUFFICIENT_SCOPE', message);
  }
  if (route.access === 'session' && !user) {
    throw new ApiError('INSUFFICIENT_SCOPE', 'Only a person who is signed in can do this');
  }
  const needed = scopesOf(route);
  if (needed && !needed.some((scope) => scopes.has(scope))) {
    throw new ApiError(
      'INSUFFICIENT_SCOPE',
      `The access token needs the scope ${needed.join(' or ')}`,
    );
  }
}

function formatJson(reply: Exclude<Reply<unknown>, { mediaType: string }>): string {
  if ('json' in reply) return `{"success":true,"data":${reply.json}}`;
  return JSON.stringify('data' in reply ? { success: true, data: reply.data } : reply.body);
}

function send(response: Response, route: Route, reply: Reply<unknown>): void {
  response.status(reply.status);
  if (route.hasVersions && 'data' in reply) {
    const { updatedAt } = reply.data as { updatedAt?: string };
    if (updatedAt !== undefined) response.set('ETag', etagOf(Date.parse(updatedAt)));
  }
  response.set(reply.headers ?? {});
  if ('mediaType' in reply) {
    response.type(reply.mediaType).send('text' in reply ? reply.text : reply.bytes);
    return;
  }
  if ('data' in reply && reply.replayed) response.set(replayedHeader);
  // response.json() would also compute an ETag and parse the charset.
  const text = Buffer.from(formatJson(reply));
  response.setHeader('Content-Type', 'application/json; charset=utf-8');
  response.setHeader('Content-Length', text.length);
  response.end(response.req.method === 'HEAD' ? undefined : text);
}
