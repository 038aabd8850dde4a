import { readdirSync, readFileSync } from 'node:fs';
import { expect, expectTypeOf, it } from 'vitest';
import { createTestClient } from '../test/test-client.js';
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

// `request` calls these. Methods for them would exceed the size limit of the main entry.
const withoutMethod = [
  'createWebhookStream',
  'reportOutcomes',
  'createReplay',
  'listReplays',
  'getReplay',
  'cancelReplay',
  'getWebhookStats',
  'listEventTypes',
];

// The operator of a server is not a user of this client.
const isForOperator = (route: string) => route.includes(' /api/v1/admin/');

it('every other operation of the contract has a method', () => {
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
  expect(missing.map(([id]) => id)).toEqual(withoutMethod);
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
      | 'DOMAIN_CONFLICT'
      | 'SECRET_CONFLICT'
      | 'IDEMPOTENCY_CONFLICT'
      | 'REPLAY_CONFLICT'
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
    'https://sho.test/links/api/v1/new/4%2F2?a=1%2C2',
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
