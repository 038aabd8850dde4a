import { HttpResponse, http } from 'msw';
import { setupServer } from 'msw/node';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { failure, success, urlCreated } from '../../test/responses.js';
import { api, baseUrl, createTestClient } from '../../test/test-client.js';
import { ConflictError, Shorty } from '../index.js';

const server = setupServer();
beforeAll(() => server.listen({ onUnhandledRequest: 'error' }));
afterEach(() => server.resetHandlers());
afterAll(() => server.close());

const key = 'shorty_ak_mZ4c';

/** Answers everything with the data, and returns the requests. */
function record(data: object) {
  const sent: { call: string; body: string; authorization: string | null }[] = [];
  server.use(
    http.all(`${api}/*`, async ({ request }) => {
      const { pathname, search } = new URL(request.url);
      const authorization = request.headers.get('authorization');
      const body = await request.text();
      sent.push({ call: `${request.method} ${pathname}${search}`, body, authorization });
      return success(data);
    }),
  );
  return sent;
}

describe('shorty.apiKeys and shorty.me', () => {
  it('create, list and delete keys, and read the caller', async () => {
    const sent = record({ items: [], total: 0, nextAfter: null });
    const shorty = new Shorty({ baseUrl, accessToken: 'token' });
    await shorty.apiKeys.create({ name: 'deploy', scopes: ['urls:read'] });
    await shorty.apiKeys.list({ limit: 5 });
    await shorty.apiKeys.delete('a');
    await shorty.me();
    expect(sent.map(({ call, body }) => `${call} ${body}`.trim())).toEqual([
      'POST /api/v1/api-keys {"name":"deploy","scopes":["urls:read"]}',
      'GET /api/v1/api-keys?limit=5',
      'DELETE /api/v1/api-keys/a',
      'GET /api/v1/me',
    ]);
  });
});

describe('new Shorty({ apiKey })', () => {
  it('sends the key with each request, and requests no token', async () => {
    const sent = record({});
    await new Shorty({ baseUrl, apiKey: key }).me();
    expect(sent).toMatchObject([{ call: 'GET /api/v1/me', authorization: `Bearer ${key}` }]);
  });

  it.each(['', 'a\nb'])('refuses the key %j', (apiKey) => {
    expect(() => new Shorty({ baseUrl, apiKey })).toThrow(/apiKey|accessToken is missing/);
  });
});

describe('ifMatch', () => {
  it('sends the etag of a response, without the mark of a proxy', async () => {
    const ifMatch: (string | null)[] = [];
    server.use(
      http.get(`${api}/urls/42`, () => success({}, { headers: { etag: 'W/"v1"' } })),
      http.all(`${api}/urls/42`, ({ request }) => {
        ifMatch.push(request.headers.get('if-match'));
        return success({});
      }),
    );
    const { urls } = createTestClient();
    const { response } = await urls.get(42).withResponse();
    expect(response.etag).toBe('"v1"');
    await urls.update(42, { title: 'mine' }, { ifMatch: response.etag });
    await urls.delete(42, { ifMatch: response.etag });
    await urls.update(42, { title: 'mine' });
    expect(ifMatch).toEqual(['"v1"', '"v1"', null]);
  });

  it('rejects with ConflictError, and does not retry, when the record was changed', async () => {
    let calls = 0;
    server.use(
      http.patch(`${api}/urls/42`, () => {
        calls += 1;
        return failure(412, 'PRECONDITION_FAILED');
      }),
    );
    const update = createTestClient().urls.update(42, { title: 'mine' }, { ifMatch: '"v1"' });
    const error = await update.catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(ConflictError);
    expect(error).toMatchObject({ status: 412, code: 'PRECONDITION_FAILED' });
    expect(calls).toBe(1);
  });

  it('is undefined for a response without an ETag', async () => {
    server.use(
      http.post(`${api}/urls`, () => HttpResponse.json({ success: true, data: urlCreated('1') })),
    );
    const call = createTestClient().urls.create({ targetUrl: 'https://example.com' });
    expect((await call.withResponse()).response.etag).toBeUndefined();
  });
});
