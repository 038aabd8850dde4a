import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { parse } from 'yaml';
import { createTestClient } from '../test/test-client.js';
import type { Method, RequestInput } from './calls.js';
import * as routes from './generated/routes.js';
import {
  ConflictError,
  Shorty,
  type ShortyOptions,
  type UrlCreateRequest,
  type UrlRecord,
  ValidationError,
} from './index.js';
import type { Transport } from './send-request.js';

const shorty = new Shorty({ baseUrl: 'https://sho.test', accessToken: 'token' });

// The operator of a server is not a user of this client.
const isForOperator = (route: string) => route.includes(' /api/v1/admin/');

it('every operation of the contract has a method', () => {
  const files = readdirSync(new URL('resources/', import.meta.url)).map(
    (name) => `resources/${name}`,
  );
  const sources = [...files, 'client.ts', 'run-bulk.ts']
    .filter((name) => !name.endsWith('.test.ts'))
    .map((name) => readFileSync(new URL(name, import.meta.url), 'utf8'))
    .join('\n');
  const called = new Set(
    [...sources.matchAll(/\b(?:send|list|request)\(\s*'([^']+)'/g)].map(([, route]) => route),
  );
  const { version: _, createToken, ...operations } = routes;
  const missing = Object.entries(operations).filter(
    ([, route]) => !called.has(route) && !isForOperator(route),
  );
  expect(missing.map(([id]) => id)).toEqual([]);
  expect(Object.keys(operations).length).toBeGreaterThan(30);
  expect(createToken).toBe('POST /api/v1/auth/token');
});

it('the version is that of the package', () => {
  const manifest = readFileSync(new URL('../package.json', import.meta.url), 'utf8');
  expect(routes.version).toBe(JSON.parse(manifest).version);
});

// The compiler checks what follows: `npm run check` fails if an error is not one.
export function refusedCalls(api: Transport) {
  // @ts-expect-error The contract has no such path.
  api.send('GET /api/v1/links', {});
  // @ts-expect-error The path has a parameter.
  api.send(routes.getUrl, {});
  // @ts-expect-error The name of the parameter is wrong.
  api.send(routes.getUrl, { params: { urlId: '42' } });
  // @ts-expect-error The body lacks targetUrl.
  api.send(routes.createUrl, { body: { title: 'x' } });
  // @ts-expect-error The operation has no body.
  api.send(routes.getUrl, { params: { id: '42' }, body: {} });
  // @ts-expect-error The result is a link.
  const created: Promise<UrlRecord> = api.send(routes.createUrl, { body: { targetUrl: 'x' } });
  // @ts-expect-error The operation lists nothing.
  api.list(routes.getUrl, { params: { id: '42' } });
  return created;
}

export function refusedRequests() {
  // @ts-expect-error The path has a parameter.
  shorty.request('GET', '/api/v1/urls/{id}');
  // @ts-expect-error The body lacks targetUrl.
  shorty.request('POST', '/api/v1/urls', { body: { title: 'x' } });
  // @ts-expect-error A path begins with a slash.
  shorty.request('GET', 'api/v1/urls');
  const url = shorty.request('GET', '/api/v1/urls/{id}', { params: { id: 42 } });
  expectTypeOf(url).resolves.toExtend<UrlRecord>();
  const other = shorty.request('GET', '/api/v1/not-in-this-version', { query: { a: 1 } });
  expectTypeOf(other).resolves.toBeUnknown();
}

export function refusedOptions() {
  const { baseUrl } = { baseUrl: 'https://sho.test' };
  // @ts-expect-error Half of the credentials.
  const noSecret: ShortyOptions = { baseUrl, clientId: 'id' };
  // @ts-expect-error Half of the credentials.
  const noId: ShortyOptions = { baseUrl, clientSecret: 'secret' };
  // @ts-expect-error A secret that may be missing.
  const unsure: ShortyOptions = { clientId: 'id', clientSecret: 'secret' as string | undefined };
  const fromEnvironment: ShortyOptions = {};
  return [noSecret, noId, unsure, fromEnvironment];
}

export function refusedBodies() {
  // @ts-expect-error A code has either a link or a text.
  shorty.qr.create({ urlId: '42', data: 'text' });
  // @ts-expect-error A code has either a link or a text.
  shorty.qr.create({ size: 512 });
  // @ts-expect-error A protected link needs a password.
  shorty.urls.create({ targetUrl: 'https://example.com', isPasswordProtected: true });
  // @ts-expect-error A password protects nothing without isPasswordProtected.
  shorty.urls.create({ targetUrl: 'https://example.com', password: 'open sesame' });
  // @ts-expect-error A webhook needs an event type.
  shorty.webhooks.create({ url: 'https://example.com', events: [] });
  // @ts-expect-error A webhook needs an event type.
  shorty.webhooks.update('1', { events: [] });
  const body: UrlCreateRequest = { targetUrl: 'https://example.com', expiresAt: new Date() };
  shorty.urls.update(42, { expiresAt: new Date() });
  shorty.urls.clicks(42, { since: new Date(), until: '2030-01-01T00:00:00Z' });
  return body;
}

export function narrowedCodes(error: unknown) {
  if (error instanceof ConflictError) {
    expectTypeOf(error.code).toEqualTypeOf<
      | 'SLUG_CONFLICT'
      | 'EXTERNAL_ID_CONFLICT'
      | 'DOMAIN_CONFLICT'
      | 'SECRET_CONFLICT'
      | 'IDEMPOTENCY_CONFLICT'
      | 'PRECONDITION_FAILED'
      | undefined
    >();
  }
  // @ts-expect-error This class does not have this code.
  return error instanceof ValidationError && error.code === 'NOT_FOUND';
}

it('a date becomes an instant, in a body and in a query', async () => {
  const sent: [string, unknown][] = [];
  const client = createTestClient({
    fetch: async (url, init) => {
      sent.push([String(url), init?.body]);
      return Response.json({ success: true, data: {} });
    },
  });
  const expiresAt = new Date('2030-01-02T03:04:05Z');
  await client.urls.create({ targetUrl: 'https://example.com', expiresAt });
  await client.urls.clicks(42, { since: expiresAt });
  expect(sent).toEqual([
    [
      'https://sho.test/api/v1/urls',
      '{"targetUrl":"https://example.com","expiresAt":"2030-01-02T03:04:05.000Z"}',
    ],
    ['https://sho.test/api/v1/urls/42/clicks?since=2030-01-02T03%3A04%3A05.000Z', null],
  ]);
});

it('an invalid date is refused, because as null it would clear the field', async () => {
  const client = createTestClient({ fetch: () => Promise.reject(new Error('was sent')) });
  const refused = {
    name: 'ShortyConfigError',
    message: 'expiresAt must be valid, not "Invalid Date"',
  };
  const invalid = new Date(Number.NaN);
  await expect(client.urls.update(42, { expiresAt: invalid })).rejects.toMatchObject(refused);
  await expect(client.urls.clicks(42, { since: invalid })).rejects.toThrow('since must be valid');
});

it.each([undefined, null, '', Number.NaN, {}, '..'])(
  'an id that is %j is refused',
  async (value) => {
    const fetch = () => Promise.reject(new Error('was sent'));
    const shorty = new Shorty({ baseUrl: 'https://sho.test', accessToken: 'token', fetch });
    const id = value as string;
    const calls: [() => PromiseLike<unknown>, string][] = [
      [() => shorty.urls.get(id), 'id'],
      [() => shorty.urls.qrs(id), 'id'],
      [() => shorty.qr.delete(id), 'id'],
      [() => shorty.webhooks.delivery('0192f0c1', id), 'deliveryId'],
      [() => shorty.tags.delete(id), 'tag'],
    ];
    for (const [call, option] of calls) {
      await expect(call()).rejects.toMatchObject({
        name: 'ShortyConfigError',
        option,
        message: `${option} must be a name or a number, not "${value}"`,
      });
    }
  },
);

it.each(['/a/{b', '/a/}b{', '/{', '/a/%7Bb'])('sends the path %s as it is', async (path) => {
  const urls: unknown[] = [];
  const fetch = async (url: RequestInfo | URL) => {
    urls.push(url);
    return Response.json({ success: true, data: {} });
  };
  const client = new Shorty({ baseUrl: 'https://sho.test', accessToken: 'token', fetch });
  await client.request('GET', path as `/${string}`, { params: { b: 'c' } });
  expect(urls).toEqual([`https://sho.test${path}`]);
});

type Schema = Record<string, unknown>;

interface Operation {
  readonly parameters?: readonly Schema[];
  readonly requestBody?: {
    readonly required?: boolean;
    readonly content: { readonly 'application/json': { schema: Schema } };
  };
}

const document: {
  paths: Record<string, Record<string, Operation>>;
  components: Record<'schemas' | 'parameters', Record<string, Schema>>;
} = parse(readFileSync(new URL('../../../openapi.yaml', import.meta.url), 'utf8'));

function resolve<T extends Schema>(value: T, kind: 'schemas' | 'parameters'): Schema {
  return document.components[kind][String(value.$ref).split('/').at(-1) ?? ''] ?? value;
}

/** A body with a list, made by the list, and the path of the list, such as `filters.urlIds`. */
type BodyWithList = [name: string, make: (list: unknown[]) => unknown];

/** Returns a body for each list in a schema, at any depth. */
function listsOf(schema: Schema): BodyWithList[] {
  const { type, anyOf = [], items, properties = {} } = resolve(schema, 'schemas');
  const found: BodyWithList[] = type === 'array' ? [['', (list) => list]] : [];
  for (const option of anyOf as Schema[]) found.push(...listsOf(option));
  if (items) {
    for (const [name, make] of listsOf(items as Schema)) {
      found.push([name, (list) => [make(list)]]);
    }
  }
  for (const [name, property] of Object.entries(properties as Record<string, Schema>)) {
    for (const [inner, make] of listsOf(property)) {
      found.push([inner || name, (list) => ({ [name]: make(list) })]);
    }
  }
  return found;
}

const operations = Object.values(routes)
  .filter((route) => route.includes(' '))
  .map((route) => {
    const [method = '', path = ''] = route.split(' ');
    const operation = document.paths[path]?.[method.toLowerCase()] ?? {};
    const body = operation.requestBody?.content['application/json'].schema;
    const parameters = (operation.parameters ?? []).map((each) => resolve(each, 'parameters'));
    const namesIn = (place: string) =>
      parameters
        .filter(({ in: where, required }) => where === place && required)
        .map(({ name }) => String(name));
    return {
      route,
      method,
      path,
      params: namesIn('path'),
      query: namesIn('query'),
      lists: body ? listsOf(body) : [],
      needsBody:
        method === 'PATCH' ||
        (operation.requestBody?.required === true &&
          !isForOperator(route) &&
          route !== routes.createToken),
    };
  });

const missing = [undefined, null, '', Number.NaN];

describe.each(operations)('$route', ({ method, path, params, query, lists, needsBody }) => {
  const valid = (names: string[]) => Object.fromEntries(names.map((name) => [name, 'x']));
  const input = {
    params: valid(params),
    query: valid(query),
    ...(needsBody && { body: {} }),
  };
  let sent = 0;
  let url = '';
  const client = new Shorty({
    baseUrl: 'https://sho.test',
    accessToken: 'token',
    fetch: async (input) => {
      sent += 1;
      url = String(input);
      return Response.json({ success: true, data: {} });
    },
  });
  const request = (input: RequestInput) => client.request(method as Method, path as '/x', input);

  it('is sent with values', async () => {
    sent = 0;
    await request(input);
    for (const [, make] of lists) await request({ ...input, body: make(['x', { id: 7 }, 7]) });
    expect(sent).toBe(1 + lists.length);
  });

  it.each(missing)('is not sent if a value that it needs is %j', async (value) => {
    sent = 0;
    const refused = async (name: string, call: RequestInput) =>
      expect(request(call)).rejects.toMatchObject({ name: 'ShortyConfigError', option: name });
    for (const name of params) {
      await refused(name, { ...input, params: { ...input.params, [name]: value as string } });
    }
    for (const name of query) {
      await refused(name, { ...input, query: { ...input.query, [name]: value } });
      await refused(name, { ...input, query: undefined });
    }
    for (const [name, make] of lists) {
      await refused(`${name}[1]`, { ...input, body: make(['x', value]) });
      await refused(`${name}[1].id`, { ...input, body: make(['x', { id: value }]) });
    }
    if (needsBody) await refused('body', { ...input, body: value });
    expect(sent).toBe(0);
  });

  it('leaves out a query parameter that is null, as one that is undefined', async () => {
    sent = 0;
    const optional = { isLeftOut: null, isToo: undefined };
    await request({ ...input, query: { ...input.query, ...optional, limit: 5 } });
    const search = new URLSearchParams({ ...input.query, limit: '5' });
    expect([sent, url]).toEqual([1, expect.stringMatching(new RegExp(`[?]${search}$`))]);
  });
});

it.each([undefined, null, 'https://example.com', 7])(
  'a body that is %j is not sent',
  async (body) => {
    const fetch = () => Promise.reject(new Error('was sent'));
    const client = new Shorty({ baseUrl: 'https://sho.test', accessToken: 'token', fetch });
    const calls: ((body: never) => PromiseLike<unknown>)[] = [
      client.urls.create.bind(client.urls),
      (patch) => client.urls.update(42, patch),
      client.qr.create.bind(client.qr),
      (patch) => client.qr.update('0192f0c1', patch),
      client.webhooks.create.bind(client.webhooks),
      (patch) => client.webhooks.update('0192f0c1', patch),
      (to) => client.tags.rename('launch', to),
      client.domains.create.bind(client.domains),
      client.apiKeys.create.bind(client.apiKeys),
    ];
    for (const call of calls) {
      await expect(call(body as never)).rejects.toMatchObject({
        name: 'ShortyConfigError',
        message: `body must be present, not "${body}"`,
      });
    }
    const bulkCalls: ((items: never) => PromiseLike<unknown>)[] = [
      (items) => client.urls.bulkCreate(items),
      (items) => client.urls.bulkUpdate(items),
      (items) => client.urls.bulkDelete(items),
    ];
    for (const call of bulkCalls) {
      await expect(call(body as never)).rejects.toMatchObject({
        name: 'ShortyConfigError',
        message: `items must be a list, not "${body}"`,
      });
    }
  },
);

it.each(missing)('urls.lookup(%j) and lists with it are not sent', async (value) => {
  const fetch = () => Promise.reject(new Error('was sent'));
  const { urls } = new Shorty({ baseUrl: 'https://sho.test', accessToken: 'token', fetch });
  const id = value as string;
  await expect(urls.lookup(id)).rejects.toThrow(
    `shortUrl must be a name or a number, not "${value}"`,
  );
  await expect(urls.bulkCreateChunk([id as never])).rejects.toMatchObject({ option: 'urls[0]' });
});

it.each(missing)('a bulk call stops before the request with the item %j', async (value) => {
  const sent: number[] = [];
  const fetch = async (_: unknown, init?: RequestInit) => {
    const { ids } = JSON.parse(String(init?.body));
    sent.push(ids.length);
    const data = { requested: 100, deletedCount: 100, deletedIds: ids, skippedIds: [] };
    return Response.json({ success: true, data: { ...data, skippedCount: 0 } });
  };
  const { urls } = new Shorty({ baseUrl: 'https://sho.test', accessToken: 'token', fetch });
  const ids: unknown[] = Array.from({ length: 250 }, (_, at) => at + 1);
  ids[203] = value;
  const error = await urls.bulkDelete(ids as number[]).catch((reason: unknown) => reason);
  expect(error).toMatchObject({
    name: 'ShortyBulkError',
    cause: { name: 'ShortyConfigError', option: 'items[203]' },
    unknown: [],
    nextIndex: 200,
    partial: { deletedCount: 200 },
  });
  expect(sent).toEqual([100, 100]);
  const updates = urls.bulkUpdate([{ id: '1' }, { id: value as string, title: 'x' }]);
  await expect(updates).rejects.toMatchObject({ cause: { option: 'items[1].id' }, nextIndex: 0 });
});

it.each([Number.NaN, Number.POSITIVE_INFINITY])(
  'the number %s is refused, because as null it would clear the field',
  async (value) => {
    const fetch = () => Promise.reject(new Error('was sent'));
    const client = new Shorty({ baseUrl: 'https://sho.test', accessToken: 'token', fetch });
    const call = client.request('PATCH', '/api/v1/new', { body: { weight: value } });
    await expect(call).rejects.toMatchObject({ name: 'ShortyConfigError', option: 'weight' });
  },
);

it('a tag may have the name of a value', async () => {
  const paths: string[] = [];
  const fetch = async (url: RequestInfo | URL) => {
    paths.push(new URL(String(url)).pathname);
    return Response.json({ success: true, data: {} });
  };
  const shorty = new Shorty({ baseUrl: 'https://sho.test', accessToken: 'token', fetch });
  await shorty.tags.delete('null');
  expect(paths).toEqual(['/api/v1/tags/null']);
});

it('request sends any request with token, retries and errors', async () => {
  const sent: unknown[] = [];
  const shortyWithFetch = new Shorty({
    baseUrl: 'https://sho.test/links',
    accessToken: 'token',
    maxRetryDelayMs: 1,
    fetch: async (url, init) => {
      const headers = new Headers(init?.headers);
      sent.push([init?.method, url, init?.body, headers.get('authorization')]);
      if (sent.length === 1) return new Response('', { status: 503 });
      return Response.json({ success: true, data: { id: '4/2' } });
    },
  });
  const input = { params: { id: '4/2' }, query: { a: [1, 2], b: undefined }, body: { c: null } };
  const result = await shortyWithFetch.request('PATCH', '/api/v1/new/{id}', input);
  expect(result).toEqual({ id: '4/2' });
  const call = [
    'PATCH',
    'https://sho.test/links/api/v1/new/4%2F2?a=1&a=2',
    '{"c":null}',
    'Bearer token',
  ];
  expect(sent).toEqual([call, call]);
});

it('request sends the token to paths of the API only, and to this host only', async () => {
  const tokens: (string | null)[] = [];
  const client = new Shorty({
    baseUrl: 'https://sho.test',
    accessToken: 'token',
    fetch: async (_url, init) => {
      tokens.push(new Headers(init?.headers).get('authorization'));
      return Response.json({ success: true, data: {} });
    },
  });
  await client.request('GET', '/health/ready');
  expect(tokens).toEqual([null]);
  const path = '.evil.test/api/v1/urls' as `/${string}`;
  await expect(client.request('GET', path)).rejects.toThrow(
    'path must be a path from /, not ".evil.test/api/v1/urls"',
  );
  expect(tokens).toHaveLength(1);
});
