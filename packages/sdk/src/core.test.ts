import { describe, expect, it } from 'vitest';
import { serveWhileCollecting } from '../test/serve-while-collecting.js';
import { call, createUrl, getUrl, isShortyError, listUrls } from './core.js';

const body = { targetUrl: 'https://example.com', expiresAt: new Date('2030-01-01T00:00:00Z') };

/** Returns options whose fetch gives these responses, and the requests that it got. */
function serverWith(...responses: (() => Response)[]) {
  const requests: Request[] = [];
  const fetch = async (input: RequestInfo | URL, init?: RequestInit) => {
    requests.push(new Request(input, init));
    const respond = responses[requests.length - 1] ?? responses.at(-1);
    if (!respond) return await new Promise<never>(() => {});
    return respond();
  };
  return { server: { baseUrl: 'https://sho.test/x/', apiKey: 'shorty_ak_1', fetch }, requests };
}

const success = (data: unknown) => () => Response.json({ success: true, data }, { status: 201 });
const failure =
  (status: number, code: string, headers: Record<string, string> = {}) =>
  () =>
    Response.json({ success: false, error: { code, message: 'it failed' } }, { status, headers });

describe('call', () => {
  it('sends an operation with the key, and returns its data', async () => {
    const { server, requests } = serverWith(success({ id: '1' }));
    expect((await call(server, createUrl, { body })).id).toBe('1');
    const [request] = requests;
    expect(request?.url).toBe('https://sho.test/x/api/v1/urls');
    expect(request?.method).toBe('POST');
    expect(request?.headers.get('authorization')).toBe('Bearer shorty_ak_1');
    expect(request?.headers.get('idempotency-key')).toMatch(/^\d+-\d+$/);
    expect(await request?.json()).toEqual({
      targetUrl: 'https://example.com',
      expiresAt: '2030-01-01T00:00:00.000Z',
    });
  });

  it('sends parameters and query', async () => {
    const { server, requests } = serverWith(success({ items: [] }));
    await call(server, listUrls, { query: { tag: 'a b', limit: 5 } });
    await call(server, getUrl, { params: { id: 42 } });
    await expect(call(server, getUrl, { params: { id: '..' } })).rejects.toThrow(
      'id must be a name or a number, not ".."',
    );
    expect(requests.map(({ url }) => url.slice('https://sho.test/x'.length))).toEqual([
      '/api/v1/urls?tag=a+b&limit=5',
      '/api/v1/urls/42',
    ]);
    expect(requests[0]?.headers.has('idempotency-key')).toBe(false);
  });

  it.each(['never responds', 'never ends its response'])(
    'ends an attempt whose server %s, also after a garbage collection',
    async (behaviour) => {
      const baseUrl = await serveWhileCollecting((response) => {
        if (behaviour === 'never ends its response') response.write(' ');
      });
      const options = { baseUrl, apiKey: 'shorty_ak_1', maxRetries: 0, timeoutMs: 300 };
      await expect(call(options, getUrl, { params: { id: 1 } })).rejects.toThrow(
        'failed: TimeoutError: no response in 300 ms',
      );
    },
  );

  it('retries with the same key', async () => {
    const broken = () => {
      throw new TypeError('fetch failed');
    };
    const { server, requests } = serverWith(
      failure(503, 'UNAVAILABLE'),
      broken,
      success({ id: '1' }),
    );
    expect((await call(server, createUrl, { body })).id).toBe('1');
    expect(new Set(requests.map(({ headers }) => headers.get('idempotency-key'))).size).toBe(1);
    expect(requests).toHaveLength(3);
  });

  it.each([
    [failure(409, 'SLUG_CONFLICT'), { status: 409, code: 'SLUG_CONFLICT', message: 'it failed' }],
    [failure(429, 'RATE_LIMITED', { 'retry-after': '60' }), { status: 429, retryAfterMs: 60_000 }],
    [() => new Response('<html>', { status: 404 }), { status: 404, code: undefined }],
    [() => new Response('null'), { status: 200 }],
  ])('fails at once: %#', async (respond, properties) => {
    const { server, requests } = serverWith(respond);
    const error = await call(server, createUrl, { body }).catch((reason) => reason);
    expect(isShortyError(error)).toBe(true);
    expect(error).toMatchObject({ ...properties, operation: createUrl, attempts: 1 });
    expect(requests).toHaveLength(1);
  });

  it('fails after the last retry', async () => {
    const { server } = serverWith(failure(500, 'INTERNAL'));
    const once = call({ ...server, maxRetries: 1 }, createUrl, { body });
    await expect(once).rejects.toMatchObject({ status: 500, attempts: 2 });
  });

  it('is cancelled by a signal, also while it waits for a retry', async () => {
    const { server } = serverWith(failure(429, 'RATE_LIMITED', { 'retry-after': '19' }));
    const controller = new AbortController();
    const pending = call({ ...server, signal: controller.signal }, createUrl, { body });
    const outcome = expect(pending).rejects.toThrow('enough');
    controller.abort(new Error('enough'));
    await outcome;
  });

  it('does not compile with a wrong or missing input', () => {
    const { server } = serverWith();
    void (() => {
      // @ts-expect-error
      void call(server, createUrl);
      // @ts-expect-error
      void call(server, createUrl, { body: { title: 'x' } });
      // @ts-expect-error
      void call(server, getUrl, { params: {} });
    });
    expect(createUrl).toBe('POST /api/v1/urls');
  });
});
