import { setImmediate as nextTurn } from 'node:timers/promises';
import { HttpResponse, http } from 'msw';
import { describe, expect, it } from 'vitest';
import { mockApi } from '../test/mock-api.js';
import { failure, success, urlCreated, usage } from '../test/responses.js';
import { api, createTestClient } from '../test/test-client.js';
import { ConnectionError, ServerError, TimeoutError } from './errors.js';
import type { RequestInfo } from './options.js';

const server = mockApi();

/** Answers `GET /usage` with each response in turn, and with the last one from then on. */
function answerUsage(...answers: (() => Response)[]) {
  const calls = { count: 0 };
  server.use(
    http.get(`${api}/usage`, () => {
      const answer = answers[Math.min(calls.count++, answers.length - 1)];
      return answer ? answer() : HttpResponse.error();
    }),
  );
  return calls;
}

const hang = () => new Promise<never>(() => {});

describe('retries', () => {
  const faults: [string, () => Response][] = [
    ['408', () => new HttpResponse(null, { status: 408 })],
    ['429', () => failure(429, 'RATE_LIMITED')],
    ['500', () => failure(500, 'INTERNAL')],
    ['502', () => HttpResponse.html('<h1>Bad Gateway</h1>', { status: 502 })],
    ['504', () => new HttpResponse(null, { status: 504 })],
    ['a network fault', () => HttpResponse.error()],
  ];
  it.each(faults)('retries after %s and then succeeds', async (_name, fault) => {
    const calls = answerUsage(fault, fault, () => success(usage));
    const client = createTestClient();
    await expect(client.usage.get()).resolves.toEqual(usage);
    expect(calls.count).toBe(3);
    expect(client.retries.map(({ attempt, method, path }) => [attempt, method, path])).toEqual([
      [1, 'GET', '/api/v1/usage'],
      [2, 'GET', '/api/v1/usage'],
    ]);
    expect(client.ports.running).toBe(0);
  });

  const delaysOf = ({ retries }: ReturnType<typeof createTestClient>) =>
    retries.map(({ delayMs }) => delayMs);

  it.each([
    // Random numbers are 0.5, of limits from 500 to 8000 ms, and of maxRetryDelayMs.
    [{}, [250, 500, 1000]],
    [{ maxRetries: 6, deadlineMs: Infinity }, [250, 500, 1000, 2000, 4000, 4000]],
    [{ maxRetryDelayMs: 600 }, [250, 300, 300]],
  ])('waits a random time up to a limit that doubles: %j', async (options, delays) => {
    answerUsage(() => failure(503, 'UNAVAILABLE'));
    const client = createTestClient(options);
    await expect(client.usage.get()).rejects.toBeInstanceOf(ServerError);
    expect(delaysOf(client)).toEqual(delays);
  });

  it.each([400, 401, 404, 409, 501])('does not retry %i', async (s) => {
    const calls = answerUsage(() => failure(s, 'IDEMPOTENCY_CONFLICT'));
    await expect(createTestClient().usage.get()).rejects.toMatchObject({ status: s });
    expect(calls.count).toBe(1);
  });

  it('prefers maxRetries of the request to that of the client', async () => {
    const calls = answerUsage(() => failure(503, 'UNAVAILABLE'));
    const client = createTestClient({ maxRetries: 5 });
    await expect(client.usage.get({}, { maxRetries: 1 })).rejects.toBeInstanceOf(ServerError);
    expect(calls.count).toBe(2);
    await expect(client.usage.get({}, { maxRetries: 0 })).rejects.toBeInstanceOf(ServerError);
    expect(calls.count).toBe(3);
  });

  it.each([
    ['7', 7000],
    ['Tue, 01 Jan 2030 10:00:12 GMT', 12_000],
    ...['0', 'Tue, 01 Jan 2030 09:00:00 GMT', '', '1.5', 'soon'].map((value) => [value, 250]),
  ] as [string, number][])(
    'waits for Retry-After %j, or a random time: %i ms',
    async (value, ms) => {
      const date = 'Tue, 01 Jan 2030 10:00:00 GMT';
      answerUsage(
        () => failure(429, 'RATE_LIMITED', { date, 'retry-after': value }),
        () => success(usage),
      );
      const client = createTestClient();
      await client.usage.get();
      expect(delaysOf(client)).toEqual([ms]);
    },
  );

  it('fails at once with the time if Retry-After is longer than maxRetryDelayMs', async () => {
    const calls = answerUsage(() => failure(429, 'RATE_LIMITED', { 'retry-after': '3600' }));
    const client = createTestClient({ maxRetryDelayMs: 5000 });
    const refusal = { name: 'RateLimitError', retryAfterMs: 3_600_000, attempts: 1 };
    await expect(client.usage.get()).rejects.toMatchObject(refusal);
    expect(calls.count).toBe(1);
    expect(client.retries).toEqual([]);
  });

  it('sends the same idempotency key and body in all attempts of a POST', async () => {
    const sent: (string | null)[] = [];
    server.use(
      http.post(`${api}/urls`, async ({ request }) => {
        sent.push(request.headers.get('idempotency-key'), await request.text());
        return sent.length < 6 ? HttpResponse.error() : success(urlCreated('1'), { status: 201 });
      }),
    );
    await createTestClient().urls.create({ targetUrl: 'https://example.com' });
    const body = '{"targetUrl":"https://example.com"}';
    expect(sent).toEqual(['key-1', body, 'key-1', body, 'key-1', body]);
  });

  it('sends an idempotency key with every write, and with no read', async () => {
    const keys: (string | null)[] = [];
    server.use(
      http.all(`${api}/urls/42`, ({ request }) => {
        keys.push(request.headers.get('idempotency-key'));
        return keys.length === 1 ? HttpResponse.error() : success({});
      }),
    );
    const { urls } = createTestClient();
    await urls.update(42, { title: null });
    await urls.delete(42, { idempotencyKey: 'mine' });
    await urls.get(42, { idempotencyKey: 'mine' });
    await urls.delete(42, { headers: { 'Idempotency-Key': 'header' } });
    expect(keys).toEqual(['key-1', 'key-1', 'mine', null, 'header']);
  });
});

describe('time-outs', () => {
  it('aborts an attempt after timeoutMs and retries it', async () => {
    const client = createTestClient({ timeoutMs: 3000 });
    let calls = 0;
    server.use(
      http.get(`${api}/usage`, () => {
        if (++calls > 1) return success(usage);
        client.ports.advance(3000);
        return hang();
      }),
    );
    await expect(client.usage.get()).resolves.toEqual(usage);
    expect(client.retries).toHaveLength(1);
    expect(client.retries[0]?.error).toBeInstanceOf(TimeoutError);
    expect(String(client.retries[0]?.error)).toContain('within 3000 ms');
    expect(client.ports.running).toBe(0);
  });

  it('aborts the request at its deadline, with the previous error as cause', async () => {
    const client = createTestClient({ timeoutMs: 3000, deadlineMs: 4000 });
    let calls = 0;
    server.use(
      http.get(`${api}/usage`, () => {
        if (++calls === 1) return failure(503, 'UNAVAILABLE', { 'retry-after': '2' });
        client.ports.advance(2000);
        return hang();
      }),
    );
    await expect(client.usage.get()).rejects.toMatchObject({
      name: 'TimeoutError',
      message: 'GET /api/v1/usage was not answered within 4000 ms, including retries',
      cause: { status: 503 },
    });
    expect(calls).toBe(2);
    expect(client.ports.monotonicMs()).toBe(4000);
  });

  it('does not wait if the wait would exceed the deadline', async () => {
    const calls = answerUsage(() => failure(503, 'UNAVAILABLE', { 'retry-after': '10' }));
    const client = createTestClient({ deadlineMs: 10_000 });
    await expect(client.usage.get()).rejects.toMatchObject({ status: 503, retryAfterMs: 10_000 });
    expect(calls.count).toBe(1);
    expect(client.ports.monotonicMs()).toBe(0);
  });
});

it('a signal aborts the wait before a retry', async () => {
  const controller = new AbortController();
  const calls = answerUsage(() => failure(503, 'UNAVAILABLE'));
  const client = createTestClient({
    hooks: { onRetry: () => queueMicrotask(() => controller.abort()) },
  });
  const call = client.usage.get({}, { signal: controller.signal });
  await expect(call).rejects.toMatchObject({ name: 'AbortError' });
  expect(calls.count).toBe(1);
  expect(client.ports.running).toBe(0);
});

describe('requests', () => {
  it('send the token, the headers of client and request, and the query', async () => {
    let seen: Request | undefined;
    server.use(
      http.get(`${api}/urls`, ({ request }) => {
        seen = request;
        return success({ total: 0, limit: 25, offset: 0, items: [] });
      }),
    );
    const client = createTestClient({ headers: { 'x-team': 'blue', 'x-trace': '1' } });
    const query = { search: 'a&b=c d', isActive: false, limit: 10 };
    await client.urls.list(query, { headers: { 'X-Trace': '2' } });
    const { searchParams } = new URL(seen?.url ?? '');
    expect(Object.fromEntries(searchParams)).toEqual({
      search: 'a&b=c d',
      isActive: 'false',
      limit: '10',
    });
    expect(Object.fromEntries(seen?.headers ?? [])).toMatchObject({
      authorization: 'Bearer token',
      accept: 'application/json, image/*',
      'x-team': 'blue',
      'x-trace': '2',
    });
  });

  it('keep the path prefix of the base URL', async () => {
    server.use(http.get('https://example.test/links/api/v1/usage', () => success(usage)));
    for (const baseUrl of ['https://example.test/links/', 'https://example.test/links/api/v1']) {
      const client = createTestClient({ baseUrl });
      await expect(client.usage.get()).resolves.toEqual(usage);
    }
  });

  it.each([302, 307])('do not follow a %i with the token', async (status) => {
    const calls = answerUsage(
      () => new HttpResponse(null, { status, headers: { location: 'https://evil.test/usage' } }),
    );
    await expect(createTestClient().usage.get()).rejects.toMatchObject({
      ...{ name: 'RequestRejectedError', status, code: undefined },
      message: expect.stringContaining('with a redirect to https://evil.test/usage'),
    });
    expect(calls.count).toBe(1);
  });

  it('treat the opaque redirect of a browser as a redirect', async () => {
    const opaque = Object.defineProperties(new Response(null), {
      type: { value: 'opaqueredirect' },
      status: { value: 0 },
    });
    const client = createTestClient({ fetch: async () => opaque });
    await expect(client.usage.get()).rejects.toMatchObject({
      name: 'RequestRejectedError',
      status: 302,
    });
  });

  it('report the innermost cause of a failed fetch', async () => {
    const refused = Object.assign(new AggregateError([], ''), { code: 'ECONNREFUSED' });
    const fetchFailed = new TypeError('fetch failed', { cause: refused });
    const client = createTestClient({
      maxRetries: 0,
      fetch: () => Promise.reject(fetchFailed),
    });
    await expect(client.usage.get()).rejects.toMatchObject({
      ...{ name: 'ConnectionError', cause: fetchFailed },
      message: expect.stringContaining('/api/v1/usage failed: ECONNREFUSED'),
    });
  });

  it('treat an incomplete response as a network error', async () => {
    const brokenBody = () =>
      new ReadableStream({
        start(controller) {
          controller.enqueue(new TextEncoder().encode('{"success":'));
          controller.error(new Error('other side closed'));
        },
      });
    const answers = [new Response(brokenBody()), success(usage)];
    const client = createTestClient({ fetch: async () => answers.shift() ?? Response.error() });
    await expect(client.usage.get()).resolves.toEqual(usage);
    expect(client.retries[0]?.error).toBeInstanceOf(ConnectionError);
  });
});

describe('hooks', () => {
  it('report each request, response and retry in order', async () => {
    answerUsage(
      () => failure(503, 'UNAVAILABLE'),
      () => success(usage),
    );
    const events: unknown[] = [];
    const client = createTestClient({
      hooks: {
        onRequest: ({ headers, ...info }) => {
          expect(headers.get('accept')).toBe('application/json, image/*');
          events.push(['request', info]);
        },
        onResponse: ({ headers, ...info }) => {
          expect(headers.get('x-request-id')).toBe('req-1');
          events.push(['response', info]);
        },
        onRetry: ({ error, ...info }) => {
          events.push(['retry', info]);
          setImmediate(() => client.ports.advance(info.delayMs));
        },
      },
    });
    await client.usage.get();
    const at = { method: 'GET', path: '/api/v1/usage' };
    const answered = { requestId: 'req-1', durationMs: 0 };
    expect(events).toEqual([
      ['request', { ...at, attempt: 1 }],
      ['response', { ...at, attempt: 1, status: 503, ...answered }],
      ['retry', { ...at, attempt: 1, delayMs: 250 }],
      ['request', { ...at, attempt: 2 }],
      ['response', { ...at, attempt: 2, status: 200, ...answered }],
    ]);
  });

  describe.each(['onRequest', 'onResponse', 'onRetry'] as const)('%s', (name) => {
    it('fails the call with the error that it throws or rejects with, without a retry', async () => {
      const calls = answerUsage(() => failure(503, 'UNAVAILABLE'));
      const fault = new Error('log is full');
      const throwing = () => {
        throw fault;
      };
      for (const hook of [throwing, () => Promise.reject(fault)]) {
        const client = createTestClient({ hooks: { [name]: hook } });
        await expect(client.usage.get()).rejects.toBe(fault);
      }
      expect(calls.count).toBe(name === 'onRequest' ? 0 : 2);
    });

    it('ends with the deadline, even if it never settles', async () => {
      answerUsage(() => failure(503, 'UNAVAILABLE'));
      const waiting = () => {
        setImmediate(() => client.ports.advance(5000));
        return hang();
      };
      const limits = { deadlineMs: 5000, timeoutMs: 9000 };
      const client = createTestClient({ ...limits, hooks: { [name]: waiting } });
      await expect(client.usage.get()).rejects.toMatchObject({
        name: 'TimeoutError',
        message: 'GET /api/v1/usage was not answered within 5000 ms, including retries',
        method: 'GET',
        attempts: 1,
      });
      expect(client.ports.running).toBe(0);
    });
  });

  it('may add headers to each attempt, and do not see the token', async () => {
    const traces: (string | null)[] = [];
    server.use(
      http.get(`${api}/usage`, ({ request }) => {
        expect(request.headers.get('authorization')).toBe('Bearer token');
        traces.push(request.headers.get('traceparent'));
        return traces.length < 2 ? failure(503, 'UNAVAILABLE') : success(usage);
      }),
    );
    const onRequest = async ({ headers, attempt }: RequestInfo & { headers: Headers }) => {
      expect(headers.has('authorization')).toBe(false);
      expect(headers.has('traceparent')).toBe(false);
      await nextTurn();
      headers.set('traceparent', `attempt-${attempt}`);
    };
    await createTestClient({ hooks: { onRequest } }).usage.get();
    expect(traces).toEqual(['attempt-1', 'attempt-2']);
  });
});

it('debug gets a line for each request and response, without secrets', async () => {
  const data = { accessToken: 'hush-token', expiresIn: 3600 };
  server.use(http.post(`${api}/auth/token`, () => success(data)));
  answerUsage(
    () => HttpResponse.error(),
    () => {
      client.ports.advance(12.360369000000128);
      return success(usage);
    },
  );
  const lines: string[] = [];
  const client = createTestClient({
    ...{ clientId: 'id', clientSecret: 'hush', headers: { 'x-secret': 'hush' } },
    debug: (line) => lines.push(line),
  });
  await client.usage.get({ period: '2030-01' });
  expect(lines).toEqual([
    'POST /api/v1/auth/token, attempt 1: sent',
    'POST /api/v1/auth/token, attempt 1: 200 in 0 ms, request req-1',
    'GET /api/v1/usage, attempt 1: sent',
    'GET /api/v1/usage, attempt 1: Failed to fetch',
    'GET /api/v1/usage, attempt 2: sent',
    'GET /api/v1/usage, attempt 2: 200 in 12 ms, request req-1',
  ]);
});

describe('an error', () => {
  it.each<[string, (client: ReturnType<typeof createTestClient>) => PromiseLike<unknown>]>([
    ['a call', ({ usage: resource }) => resource.get()],
    ['Promise.all', ({ usage: resource }) => Promise.all([resource.get(), 1])],
    ['a list', ({ urls }) => urls.list()],
    ['a bulk call', ({ urls }) => urls.bulkDelete([1]).catch(({ cause }) => Promise.reject(cause))],
    ['polling', ({ domains }) => domains.verify('1', { wait: true })],
  ])('has the frames of a caller that awaits %s', async (_, call) => {
    server.use(http.all(`${api}/*`, () => failure(403, 'INSUFFICIENT_SCOPE')));
    async function callFromHere() {
      await call(createTestClient());
    }
    const error = await callFromHere().catch((reason: unknown) => reason);
    expect(error).toMatchObject({ name: 'PermissionError' });
    const { stack = '' } = error as Error;
    expect(stack.split('\n')[0]).toBe('PermissionError: It is INSUFFICIENT_SCOPE.');
    expect(stack).toMatch(/at (async )?callFromHere .*send-request\.test\.ts/);
  });

  it('has all of its properties in JSON', async () => {
    answerUsage(() => failure(429, 'RATE_LIMITED', { 'retry-after': '7' }));
    const error = await createTestClient({ maxRetries: 2 })
      .usage.get()
      .catch((reason: unknown) => reason);
    expect(JSON.parse(JSON.stringify(error))).toEqual({
      name: 'RateLimitError',
      message: 'It is RATE_LIMITED.',
      method: 'GET',
      path: '/api/v1/usage',
      operation: 'GET /api/v1/usage',
      attempts: 3,
      status: 429,
      code: 'RATE_LIMITED',
      details: [],
      requestId: 'req-1',
      retryAfterMs: 7000,
    });
  });
});

it('withResponse returns the data with status, headers and request id', async () => {
  answerUsage(() => success(usage, { headers: { 'ratelimit-remaining': '41' } }));
  const { data, response } = await createTestClient().usage.get().withResponse();
  expect(data).toEqual(usage);
  expect(response).toMatchObject({ status: 200, requestId: 'req-1' });
  expect(response.headers.get('ratelimit-remaining')).toBe('41');
});
