import { http } from 'msw';
import { setupServer } from 'msw/node';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { failure, success } from '../../test/responses.js';
import { api, baseUrl, createTestClient } from '../../test/test-client.js';
import { ConflictError, Shorty, ValidationError } from '../index.js';

const server = setupServer();
beforeAll(() => server.listen({ onUnhandledRequest: 'error' }));
afterEach(() => server.resetHandlers());
afterAll(() => server.close());

const id = '0192f0c1-2b7d-7c3e-9a51-3f1d2b6c8e47';
const { domains } = new Shorty({ baseUrl, accessToken: 'token', maxRetries: 0 });

it('each method sends one request, and every POST a new idempotency key', async () => {
  const sent: [string, unknown][] = [];
  const keys: (string | null)[] = [];
  server.use(
    http.all(`${api}/*`, async ({ request }) => {
      const { pathname, search } = new URL(request.url);
      const text = await request.text();
      sent.push([
        `${request.method} ${pathname}${search}`,
        text === '' ? undefined : JSON.parse(text),
      ]);
      if (request.method === 'POST') keys.push(request.headers.get('idempotency-key'));
      return success({});
    }),
  );
  await domains.create({ hostname: 'go.example.com' });
  await domains.list({ isActive: true, limit: 5 });
  await domains.get(id);
  await domains.update(id, { ignoreCase: true });
  await domains.verify(id);
  await domains.verify(id);
  await domains.delete(id);
  const path = `/api/v1/domains/${id}`;
  expect(sent).toEqual([
    ['POST /api/v1/domains', { hostname: 'go.example.com' }],
    ['GET /api/v1/domains?isActive=true&limit=5', undefined],
    [`GET ${path}`, undefined],
    [`PATCH ${path}`, { ignoreCase: true }],
    [`POST ${path}/verify`, undefined],
    [`POST ${path}/verify`, undefined],
    [`DELETE ${path}`, undefined],
  ]);
  // With the same key, the second verification would return the stored result of the first.
  expect(new Set(keys).size).toBe(3);
});

it('iterating lists every domain', async () => {
  const ids = Array.from({ length: 120 }, (_, at) => String(120 - at));
  server.use(
    http.get(`${api}/domains`, ({ request }) => {
      const offset = Number(new URL(request.url).searchParams.get('after'));
      const items = ids.slice(offset, offset + 100).map((each) => ({ id: each }));
      const nextAfter = offset === 0 ? '100' : null;
      return success({ total: ids.length, limit: 100, offset, items, nextAfter });
    }),
  );
  const seen: string[] = [];
  for await (const each of domains.list()) seen.push(each.id);
  expect(seen).toEqual(ids);
});

it('an unverified domain is a ValidationError, and a taken one a ConflictError', async () => {
  server.use(http.post(`${api}/domains/${id}/verify`, () => failure(400, 'DOMAIN_INVALID')));
  await expect(domains.verify(id)).rejects.toThrow(ValidationError);
  server.use(http.post(`${api}/domains/${id}/verify`, () => failure(409, 'DOMAIN_CONFLICT')));
  const taken = domains.verify(id);
  await expect(taken).rejects.toThrow(ConflictError);
  await expect(taken).rejects.toMatchObject({ code: 'DOMAIN_CONFLICT' });
});

it('verify waits until DNS has the record, with a new idempotency key for each check', async () => {
  const keys = new Set<string | null>();
  server.use(
    http.post(`${api}/domains/${id}/verify`, ({ request }) => {
      keys.add(request.headers.get('idempotency-key'));
      setImmediate(() => setImmediate(() => client.ports.advance(15_000)));
      return keys.size < 3 ? failure(400, 'DOMAIN_INVALID') : success({ id, isActive: true });
    }),
  );
  const client = createTestClient();
  const verified = client.domains.verify(id, { wait: true, idempotencyKey: 'mine' });
  await expect(verified).resolves.toMatchObject({ isActive: true });
  expect(keys.size).toBe(3);
  expect(client.ports.running).toBe(0);
});

it('verify does not wait after another error, beyond the deadline, or after an abort', async () => {
  server.use(http.post(`${api}/domains/${id}/verify`, () => failure(409, 'DOMAIN_CONFLICT')));
  const client = createTestClient();
  await expect(client.domains.verify(id, { wait: true })).rejects.toThrow(ConflictError);
  server.use(http.post(`${api}/domains/${id}/verify`, () => failure(400, 'DOMAIN_INVALID')));
  const short = client.domains.verify(id, { wait: true, deadlineMs: 15_000 });
  await expect(short).rejects.toThrow(ValidationError);
  const controller = new AbortController();
  const reason = new Error('enough');
  server.use(
    http.post(`${api}/domains/${id}/verify`, () => {
      setImmediate(() => setImmediate(() => controller.abort(reason)));
      return failure(400, 'DOMAIN_INVALID');
    }),
  );
  const aborted = client.domains.verify(id, { wait: true, signal: controller.signal });
  await expect(aborted).rejects.toBe(reason);
});
