import { http } from 'msw';
import { describe, expect, it } from 'vitest';
import { collect } from '../test/collect.js';
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

type Refusal = [option: string, message: string, call: () => unknown];

describe('a call throws for what it would not use', () => {
  // As plain JavaScript, because none of them compiles.
  // biome-ignore lint/suspicious/noExplicitAny: see above.
  const { urls, domains, webhooks } = new Shorty({ baseUrl, accessToken: 'x' }) as any;
  const ifMatch = '"x"';
  const signal = new AbortController();
  const body = { targetUrl: 'https://example.com' };
  it.each<Refusal>([
    ...[undefined, null, '', '.', '..', Number.NaN, {}, true].map((id): Refusal => {
      const shown = typeof id === 'string' ? `"${id}"` : id;
      return ['id', `id must be a name or a number, not ${shown}`, () => urls.get(id)];
    }),
    ...['', 'two words', 'ключ', 'x'.repeat(256)].map((idempotencyKey): Refusal => {
      return ['idempotencyKey', 'must be', () => urls.create(body, { idempotencyKey })];
    }),
    ...[null, undefined, Number.NaN].map((value): Refusal => {
      return ['item 1', 'must be valid', () => urls.clicks('1', { country: ['DE', value] })];
    }),
    // JSON would have null in place of them.
    ...[Number.NaN, Infinity, new Date('x')].map((maxClicks): Refusal => {
      return ['maxClicks', 'must be valid', () => urls.create({ ...body, maxClicks })];
    }),
    ...[0, -1, Number.NaN].map((concurrency): Refusal => {
      return ['concurrency', 'must be', () => urls.bulkDelete([1], { concurrency })];
    }),
    ['path', 'a path from /', () => shorty().request('GET', '.evil.example' as '/')],
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
  await shorty().urls.update(42, { title: null, category: undefined });
  expect(sent[0]?.body).toEqual(JSON.parse(JSON.stringify(link)));
  expect(sent[1]?.call).toContain('?at=1970-01-01T00');
  expect(sent[2]?.body).toEqual({ title: null });
  // @ts-expect-error A position in a list is no instant.
  void (() => shorty().urls.list({ after: at }));
});

it('takes numbers for ids, escapes what would end a name, and omits empty filters', async () => {
  const sent = record(usage);
  await shorty().qr.list({ urlId: 42, standalone: undefined });
  await shorty().analytics.visits({ urlId: [42, '43'], tag: [] });
  await shorty().urls.get(42);
  await shorty().urls.get('a/b?c#d');
  expect(sent.map(({ call }) => call.replace('GET /api/v1', ''))).toEqual([
    '/qr?urlId=42',
    '/visits?urlId=42&urlId=43',
    '/urls/42',
    '/urls/a%2Fb%3Fc%23d',
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

/** Answers a list with a page each, and notes the queries. */
function answerPages(path: string, ...pages: object[]) {
  const asked: string[] = [];
  server.use(
    http.get(api + path, ({ request }) => {
      const { search } = new URL(request.url);
      const isLast = asked.push(search) === pages.length;
      return success({ ...pages[asked.length - 1], nextAfter: isLast ? null : `${asked.length}` });
    }),
  );
  return asked;
}

async function joined(parts: AsyncIterable<string>): Promise<string> {
  return (await collect(parts)).join('');
}

it('exportAll yields a line for each link of all pages, with the filters of each', async () => {
  const asked = answerPages('/urls', { items: [{ id: '2' }] }, { items: [{ id: '1' }] });
  const text = await joined(shorty().urls.exportAll({ tag: 'launch' }));
  expect(text).toBe('{"id":"2"}\n{"id":"1"}\n');
  const query = '?limit=100&tag=launch&view=full';
  expect(asked).toEqual([query, `${query}&after=1`]);
});

it('exportAllVisits yields the texts of all pages, with the filters of each', async () => {
  const asked = answerPages('/visits', { text: 'page 0\n' }, { text: 'page 1\n' });
  const text = await joined(shorty().analytics.exportAllVisits({ tag: ['launch'] }));
  expect(text).toBe('page 0\npage 1\n');
  expect(asked).toEqual(['?tag=launch', '?tag=launch&after=1']);
});

const targets = (count: number): UrlCreateRequest[] =>
  Array.from({ length: count }, (_, at) => ({ targetUrl: `https://example.com/${at}` }));

it('bulk calls create links in requests of 100, with keys derived from the caller’s key', async () => {
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
