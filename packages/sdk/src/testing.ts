import { type HttpHandler, HttpResponse, http } from 'msw';
import { checkOptions } from './check-options.js';
import type { ErrorCodes } from './generated/contract.js';
import { errorStatuses, fixtures, type OperationId, successes } from './generated/fixtures.js';
import type { UrlBulkUpdateItem, UrlCreateRequest, UrlId } from './types.js';

export { fixtures, type OperationId };

export interface HandlerOptions {
  /** The base URL of the requests that are answered. The default is any host. */
  readonly baseUrl?: string;
}

/** Fields that replace those of a fixture, or a function that returns them for a request. */
export type ResponseData<Id extends keyof Fixtures> =
  | Partial<Fixtures[Id]>
  | ((request: Request) => Partial<Fixtures[Id]> | Promise<Partial<Fixtures[Id]>>);

type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';
type Fixtures = typeof fixtures;

const operationIds = Object.keys(successes) as OperationId[];
// Parts of paths that another operation could take for an id, such as `lookup` in `/urls/lookup`.
const words = new Set(Object.values(successes).flatMap(({ route }) => route.split('/')));
const transparentPng = Uint8Array.from(
  atob(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  ),
  (char) => char.charCodeAt(0),
);

/**
 * Returns a handler of MSW for each operation of the API. It answers with the operation's fixture. The
 * handlers store nothing: use `createServer()` of `@shorty/server` for tests that read what they wrote.
 *
 * @example
 * ```ts
 * import { Shorty } from '@shorty/sdk';
 * import { fail, fixtures, handlers, respond } from '@shorty/sdk/testing';
 * import { setupServer } from 'msw/node';
 *
 * const server = setupServer(...handlers({ baseUrl: 'https://sho.example' }));
 * server.listen({ onUnhandledRequest: 'error' });
 * const shorty = new Shorty({ baseUrl: 'https://sho.example', apiKey: 'x', maxRetries: 0 });
 * console.log((await shorty.urls.get('42')).title === fixtures.getUrl.title);
 *
 * server.use(respond('getUrl', { title: 'Spring sale' }));
 * console.log((await shorty.urls.get('42')).title); // Spring sale
 *
 * server.use(fail('createUrl', 'SLUG_CONFLICT'));
 * await shorty.urls.create({ targetUrl: 'https://example.com' }); // throws ConflictError
 * ```
 */
export function handlers(options: HandlerOptions = {}): HttpHandler[] {
  return operationIds.map((id) =>
    id === 'downloadQr'
      ? handle(id, options, () => new HttpResponse(transparentPng, pngHead))
      : respond(id, echoes[id] as object, options),
  );
}

/** The results of bulk calls, which have an entry for each item of the request. */
const echoes: { readonly [Id in keyof Fixtures]?: ResponseData<Id> } = {
  async bulkCreateUrls(request) {
    const { urls = [] } = await bodyOf<{ urls: UrlCreateRequest[] }>(request);
    const created = fixtures.bulkCreateUrls.created.flatMap(({ isExisting: _, ...fixture }) =>
      urls.map(({ targetUrl, customSlug = null, externalId = null }, index) => {
        const id = String(index + 1);
        const shortCode = id.padStart(fixture.shortCode.length, '0');
        const shortUrl = new URL(customSlug ?? shortCode, fixture.shortUrl).href;
        const given = { targetUrl, customSlug, externalId };
        return { ...fixture, index, id, shortCode, shortUrl, ...given };
      }),
    );
    return { requested: urls.length, createdCount: urls.length, created };
  },
  async bulkUpdateUrls(request) {
    const { updates = [] } = await bodyOf<{ updates: UrlBulkUpdateItem[] }>(request);
    const updated = fixtures.bulkUpdateUrls.updated.flatMap((fixture) =>
      updates.map(({ id }, index) => ({ ...fixture, index, id: String(id) })),
    );
    return { requested: updates.length, updatedCount: updates.length, updated };
  },
  async bulkDeleteUrls(request) {
    const { ids = [] } = await bodyOf<{ ids: UrlId[] }>(request);
    const deletedIds = ids.map(String);
    return { requested: ids.length, deletedCount: ids.length, deletedIds };
  },
};

/** Returns the JSON of a request; an empty object if it has none. */
async function bodyOf<Body>(request: Request): Promise<Partial<Body>> {
  return JSON.parse((await request.text()) || '{}');
}

/**
 * Returns a handler that answers an operation with its fixture. The fields of `data`, or those that it
 * returns for a request, replace those of the fixture. Pass the handler to `server.use()`.
 *
 * @example
 * ```ts
 * import { handlers, respond } from '@shorty/sdk/testing';
 * import { setupServer } from 'msw/node';
 *
 * const server = setupServer(...handlers());
 * server.use(respond('getUrl', { title: 'Spring sale', isActive: false }));
 * server.use(
 *   respond('createUrl', async (request) => {
 *     const { targetUrl } = await request.json();
 *     return { targetUrl };
 *   }),
 * );
 * ```
 */
export function respond<Id extends keyof Fixtures>(
  operationId: Id,
  data: ResponseData<Id> = {},
  options: HandlerOptions = {},
): HttpHandler {
  return handle(operationId, options, async (request) => {
    const { status } = successes[operationId];
    const given = typeof data === 'function' ? await data(request) : data;
    const body = { success: true, data: { ...fixtures[operationId], ...given } };
    return HttpResponse.json(body, { status, headers });
  });
}

/**
 * Returns a handler that fails an operation with an error code of the API, or with the first code of a
 * status. Pass it to `server.use()`. The client retries 429 and 503: set `maxRetries` to 0 in tests.
 * Throws an Error if `error` is neither an error code nor the status of one.
 *
 * @example
 * ```ts
 * import { fail, handlers } from '@shorty/sdk/testing';
 * import { setupServer } from 'msw/node';
 *
 * const server = setupServer(...handlers());
 * server.use(fail('createUrl', 'SLUG_CONFLICT'), fail('listUrls', 503));
 * ```
 */
export function fail(
  operationId: OperationId,
  error: ErrorCodes[keyof ErrorCodes] | keyof ErrorCodes,
  options: HandlerOptions = {},
): HttpHandler {
  const [code, status] = Object.entries(errorStatuses).find((each) => each.includes(error)) ?? [];
  if (status === undefined)
    throw new Error(
      `${error} must be an error code of the API or its status, such as SLUG_CONFLICT or 409`,
    );
  const body = {
    success: false,
    error: { code, message: `${operationId} fails with ${code}`, requestId },
  };
  const wait = status === 429 || status === 503 ? { 'retry-after': '1' } : {};
  return handle(operationId, options, () =>
    HttpResponse.json(body, { status, headers: { ...headers, ...wait } }),
  );
}

const named = Object.fromEntries(operationIds.map((id) => [id, true as const]));
const requestId = 'test';
const headers = { 'x-request-id': requestId };
const pngHead = { headers: { ...headers, 'content-type': 'image/png' } };

function handle(
  operationId: OperationId,
  options: HandlerOptions,
  answer: (request: Request) => Response | Promise<Response>,
): HttpHandler {
  checkOptions({ [operationId]: true }, named);
  checkOptions(options, { baseUrl: true });
  const { baseUrl = '*' } = options;
  const [method = '', path = ''] = successes[operationId].route.split(' ');
  const pattern = baseUrl.replace(/\/+$/, '') + path.replace(/\{(\w+)\}/g, ':$1');
  return http[method.toLowerCase() as Method](pattern, ({ params, request }) =>
    // Without a response, MSW tries the next handler.
    words.has(String(params.id)) ? undefined : answer(request),
  );
}
