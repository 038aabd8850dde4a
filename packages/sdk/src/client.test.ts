import { http } from 'msw';
import { describe, expect, it } from 'vitest';
import { mockApi } from '../test/mock-api.js';
import { success, urlCreated, usage } from '../test/responses.js';
import { api, baseUrl } from '../test/test-client.js';
import { Shorty, type UrlCreateRequest } from './index.js';

const server = mockApi();

const shorty = () => new Shorty({ baseUrl, accessToken: 'token' });

/** Answers everything with the data and notes what was sent. */
function record(data: object, status = 200) {
  const sent: { call: string; body: unknown; key: string | null }[] = [];
  server.use(
    http.all(`${api}/*`, async ({ request }) => {
      const { pathname, search } = new URL(request.url);
      const text = await request.text();
      sent.push({
        call: `${request.method} ${pathname}${search}`,
        body: text === '' ? undefined : JSON.parse(text),
        key: request.headers.get('idempotency-key'),
      });
      return success(data, { status });
    }),
  );
  return sent;
}

describe('a call throws for what it would not use', () => {
  // As plain JavaScript, because none of them compiles.
  // biome-ignore lint/suspicious/noExplicitAny: see above.
  const { urls, domains, webhooks } = new Shorty({ baseUrl, accessToken: 'x' }) as any;
  const ifMatch = '"x"';
  const signal = new AbortController();
  const body = { targetUrl: 'https://example.com' };
  it.each<[string, string, () => unknown]>([
    ['options', 'must be an object', () => urls.get(1, null)],
    ['options', 'must be an object', () => urls.list({}, 5)],
    ['idempotenceKey', 'mean idempotencyKey?', () => urls.get(1, { idempotenceKey: 'x' })],
    ['idempotenceKey', 'mean idempotencyKey?', () => urls.list({}, { idempotenceKey: 'x' })],
    ['wiat', 'did you mean wait?', () => domains.verify('1', { wiat: true })],
    ['query', 'must be a plain object, not "tag"', () => urls.list('tag')],
    ['query', 'must be a plain object, not "tag"', () => urls.list('tag').toArray()],
    ['query', 'must be a plain object, not tag', () => urls.clicks('1', ['tag'])],
    ['query', 'plain object, not tag=a', () => urls.list(new URLSearchParams('tag=a'))],
    [
      'signal',
      'must be an AbortSignal, not [object AbortController]',
      () => urls.get(1, { signal }),
    ],
    ['signal', 'must be an AbortSignal', () => urls.bulkCreate([], { signal })],
    ['signal', 'must be an AbortSignal', () => domains.verify('1', { wait: true, signal })],
    ['ifMatch', 'not an option of POST /api/v1/urls', () => urls.create(body, { ifMatch })],
    ['ifMatch', 'bulk', () => urls.bulkUpdateChunk({ updates: [] }, { ifMatch })],
    ['ifMatch', '/test', () => webhooks.test('1', undefined, { ifMatch })],
  ])('%s: %s', async (option, message, call) => {
    const error = Promise.resolve().then(call);
    await expect(error).rejects.toMatchObject({ name: 'ShortyConfigError', option });
    await expect(error).rejects.toThrow(message);
  });

  it('but sends ifMatch with a change, also to a path with an id', async () => {
    const sent: (string | null)[] = [];
    server.use(
      http.patch(`${api}/urls/42`, ({ request }) => {
        sent.push(request.headers.get('if-match'));
        return success(urlCreated('42'));
      }),
    );
    await shorty().urls.update(42, {}, { ifMatch });
    await shorty().request('PATCH', '/api/v1/urls/42', { body: {} }, { ifMatch });
    expect(sent).toEqual([ifMatch, ifMatch]);
  });
});

it('takes a Date for each instant of a link and its rules', async () => {
  const sent = record(urlCreated('1'));
  const at = new Date(0);
  const targetUrl = 'https://example.com';
  const link: UrlCreateRequest = {
    ...{ targetUrl, activatesAt: at, expiresAt: at, importedCreatedAt: at },
    rules: [{ when: { after: at, before: at }, targetUrl }],
  };
  await shorty().urls.create(link);
  await shorty().urls.testRules(42, { at });
  expect(sent[0]?.body).toEqual(JSON.parse(JSON.stringify(link)));
  expect(sent[1]?.call).toContain('?at=1970-01-01T00');
  // @ts-expect-error A position in a list is no instant.
  void (() => shorty().urls.list({ after: at }));
});

it('takes numbers for the ids of links, also in a query', async () => {
  const sent = record(usage);
  await shorty().qr.list({ urlId: 42 });
  await shorty().analytics.visits({ urlId: [42, '43'] });
  expect(sent.map(({ call }) => call.replace(/.*[?]/, ''))).toEqual([
    'urlId=42',
    'urlId=42&urlId=43',
  ]);
});

describe('a client with the clock and random numbers of the system', () => {
  it('creates a new idempotency key for each POST', async () => {
    const sent = record(urlCreated('1'), 201);
    const { urls } = shorty();
    for (let at = 0; at < 3; at++) await urls.create({ targetUrl: 'https://example.com' });
    const keys = sent.map(({ key }) => key);
    expect(new Set(keys).size).toBe(3);
    for (const key of keys) expect(key).toMatch(/^\d+-\d+$/);
  });

  it('aborts a request after timeoutMs', async () => {
    const signals: AbortSignal[] = [];
    const client = new Shorty({
      baseUrl,
      accessToken: 'token',
      timeoutMs: 1,
      maxRetries: 0,
      fetch: (_input, init) => {
        if (init?.signal) signals.push(init.signal);
        return new Promise(() => {});
      },
    });
    await expect(client.usage.get()).rejects.toMatchObject({ name: 'TimeoutError' });
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
    // A timer cannot hold this many milliseconds; taken as they are, they would be none.
    const long = new Shorty({
      baseUrl,
      accessToken: 'token',
      timeoutMs: 1e12,
      deadlineMs: Infinity,
    });
    record(usage);
    await expect(long.usage.get()).resolves.toEqual(usage);
  });
});

it('exportAll yields a line for each link of all pages, with the filters of each', async () => {
  const asked: string[] = [];
  server.use(
    http.get(`${api}/urls`, ({ request }) => {
      const { search, searchParams } = new URL(request.url);
      asked.push(search);
      const after = searchParams.get('after');
      const items = [{ id: after === null ? '2' : '1' }];
      return success({ total: 2, limit: 1, offset: 0, items, nextAfter: after ? null : 'x' });
    }),
  );
  let text = '';
  for await (const line of shorty().urls.exportAll({ tag: 'launch' })) text += line;
  expect(text).toBe('{"id":"2"}\n{"id":"1"}\n');
  expect(asked).toEqual([
    '?limit=100&tag=launch&view=full',
    '?limit=100&tag=launch&view=full&after=x',
  ]);
});

it('exportAllVisits yields the texts of all pages, with the filters of each', async () => {
  const asked: string[] = [];
  server.use(
    http.get(`${api}/visits`, ({ request }) => {
      const { search, searchParams } = new URL(request.url);
      asked.push(search);
      const page = Number(searchParams.get('after') ?? 0);
      return success({ text: `page ${page}\n`, nextAfter: page < 2 ? `${page + 1}` : null });
    }),
  );
  let text = '';
  for await (const part of shorty().analytics.exportAllVisits({ tag: ['launch'] })) text += part;
  expect(text).toBe('page 0\npage 1\npage 2\n');
  expect(asked).toEqual(['?tag=launch', '?tag=launch&after=1', '?tag=launch&after=2']);
});

describe('bulk calls', () => {
  const targets = (count: number): UrlCreateRequest[] =>
    Array.from({ length: count }, (_, at) => ({ targetUrl: `https://example.com/${at}` }));

  it('create links in requests of 100, with keys derived from the caller’s key', async () => {
    const sent = record({
      requested: 1,
      createdCount: 0,
      failedCount: 1,
      created: [],
      errors: [{ index: 7 }],
    });
    const result = await shorty().urls.bulkCreate(targets(201), { idempotencyKey: 'import' });
    expect(sent.map(({ call, key }) => [call, key])).toEqual([
      ['POST /api/v1/urls/bulk', 'import-0'],
      ['POST /api/v1/urls/bulk', 'import-1'],
      ['POST /api/v1/urls/bulk', 'import-2'],
    ]);
    expect(sent.flatMap(({ body }) => Object(body).urls)).toEqual(targets(201));
    expect(result.errors.map(({ index }) => index)).toEqual([7, 107, 207]);
    expect(result).toMatchObject({ requested: 3, failedCount: 3 });
  });
});
