import { HttpResponse, http } from 'msw';
import { setupServer } from 'msw/node';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { failure, success } from '../../test/responses.js';
import { api, baseUrl, createTestClient } from '../../test/test-client.js';
import { GoneError, NotFoundError, Shorty, UnexpectedResponseError } from '../index.js';

const server = setupServer();
beforeAll(() => server.listen({ onUnhandledRequest: 'error' }));
afterEach(() => server.resetHandlers());
afterAll(() => server.close());

const id = '0192f0c1-2b7d-7c3e-9a51-3f1d2b6c8e47';
const download = `${baseUrl}/api/qr/:id/download`;
const png = Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0x00, 0xff]);

const image = (headers: Record<string, string> = {}) =>
  new HttpResponse(png, { headers: { 'content-type': 'image/png', etag: '"a1"', ...headers } });

describe('each method', () => {
  it('sends one request', async () => {
    const sent: [string, unknown][] = [];
    server.use(
      http.all(`${api}/*`, async ({ request }) => {
        const { pathname, search } = new URL(request.url);
        const text = await request.text();
        sent.push([
          `${request.method} ${pathname}${search}`,
          text === '' ? undefined : JSON.parse(text),
        ]);
        return success({});
      }),
    );
    const { qr } = new Shorty({ baseUrl, accessToken: 'token' });
    await qr.create({ urlId: 42, format: 'svg' });
    await qr.create({ data: 'a text' });
    await qr.list({ urlId: '42', limit: 5 });
    await qr.list({ standalone: true });
    await qr.get(id);
    await qr.update(id, { size: 1024, logoUrl: null });
    await qr.delete(id);
    await qr.scans(id, { groupBy: 'hour', limit: 3 });
    expect(sent).toEqual([
      ['POST /api/v1/qr', { urlId: 42, format: 'svg' }],
      ['POST /api/v1/qr', { data: 'a text' }],
      ['GET /api/v1/qr?urlId=42&limit=5', undefined],
      ['GET /api/v1/qr?standalone=true', undefined],
      [`GET /api/v1/qr/${id}`, undefined],
      [`PATCH /api/v1/qr/${id}`, { size: 1024, logoUrl: null }],
      [`DELETE /api/v1/qr/${id}`, undefined],
      [`GET /api/v1/qr/${id}/scans?groupBy=hour&limit=3`, undefined],
    ]);
  });

  it('sends the same idempotency key in all attempts of a create', async () => {
    const keys: (string | null)[] = [];
    server.use(
      http.post(`${api}/qr`, ({ request }) => {
        keys.push(request.headers.get('idempotency-key'));
        return keys.length < 3 ? failure(503, 'UNAVAILABLE') : success({ id }, { status: 201 });
      }),
    );
    const { qr } = createTestClient();
    await qr.create({ data: 'once' });
    await qr.create({ data: 'again' });
    expect(keys).toEqual(['key-1', 'key-1', 'key-1', 'key-2']);
  });

  it('requests all pages of a list with its filters', async () => {
    const ids = Array.from({ length: 150 }, (_, at) => String(150 - at));
    const asked: string[] = [];
    server.use(
      http.get(`${api}/qr`, ({ request }) => {
        const { search, searchParams } = new URL(request.url);
        asked.push(search);
        const offset = Number(searchParams.get('after'));
        const items = ids.slice(offset, offset + 100).map((each) => ({ id: each }));
        const nextAfter = offset === 0 ? '100' : null;
        return success({ total: ids.length, limit: 100, offset, items, nextAfter });
      }),
    );
    const seen: string[] = [];
    for await (const each of createTestClient().qr.list({ standalone: false })) seen.push(each.id);
    expect(seen).toEqual(ids);
    expect(asked).toEqual(['?limit=100&standalone=false', '?limit=100&standalone=false&after=100']);
  });
});

describe('download', () => {
  it('returns the unchanged bytes, their type and ETag', async () => {
    server.use(http.get(download, () => image()));
    const answer = await createTestClient().qr.download(id);
    expect(answer).toEqual({ bytes: png, contentType: 'image/png', etag: '"a1"' });
  });

  it('neither requests nor sends a token', async () => {
    const seen: [string, string | null][] = [];
    server.use(
      http.all(`${baseUrl}/*`, ({ request }) => {
        seen.push([new URL(request.url).pathname, request.headers.get('authorization')]);
        return image();
      }),
    );
    await new Shorty({ baseUrl, clientId: 'id', clientSecret: 'secret' }).qr.download(id);
    expect(seen).toEqual([[`/api/qr/${id}/download`, null]]);
  });

  it('keeps the path prefix of the base URL', async () => {
    server.use(http.get(`${baseUrl}/links/api/qr/:id/download`, () => image()));
    const { qr } = createTestClient({ baseUrl: `${baseUrl}/links/` });
    expect((await qr.download(id)).bytes).toEqual(png);
  });

  it('is retried, and rejects with the same errors as other calls', async () => {
    const client = createTestClient();
    server.use(http.get(download, () => failure(503, 'UNAVAILABLE'), { once: true }));
    server.use(http.get(download, () => image()));
    server.use(http.get(download, () => HttpResponse.error(), { once: true }));
    await expect(client.qr.download(id)).resolves.toMatchObject({ etag: '"a1"' });
    expect(client.retries).toHaveLength(1);
    server.use(http.get(download, () => failure(410, 'GONE')));
    await expect(client.qr.download(id)).rejects.toThrow(GoneError);
    server.use(http.get(download, () => failure(404, 'NOT_FOUND')));
    await expect(client.qr.download(id)).rejects.toThrow(NotFoundError);
  });

  it('rejects for HTML, which is not an image', async () => {
    const { qr } = createTestClient();
    server.use(http.get(download, () => HttpResponse.html('<h1>Hello</h1>')));
    await expect(qr.download(id)).rejects.toThrow(UnexpectedResponseError);
  });

  it('rejects an id that would change the path', async () => {
    const { qr } = createTestClient();
    server.use(
      http.get(`${baseUrl}/*`, ({ request }) =>
        image({ etag: `"${new URL(request.url).pathname}"` }),
      ),
    );
    const { etag } = await qr.download('../v1/usage?x');
    expect(etag).toBe('"/api/qr/..%2Fv1%2Fusage%3Fx/download"');
    await expect(qr.download('..')).rejects.toThrow('id must be a name');
  });
});
