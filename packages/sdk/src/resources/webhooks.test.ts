import { http } from 'msw';
import { setupServer } from 'msw/node';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { failure, success } from '../../test/responses.js';
import { api, baseUrl } from '../../test/test-client.js';
import { PermissionError, Shorty, type WebhookCreateRequest } from '../index.js';

const server = setupServer();
beforeAll(() => server.listen({ onUnhandledRequest: 'error' }));
afterEach(() => server.resetHandlers());
afterAll(() => server.close());

const id = '0192f0c1-2b7d-7c3e-9a51-3f1d2b6c8e47';
const deliveryId = '0192f0c1-3000-7c3e-9a51-3f1d2b6c8e47';
const epoch = new Date(0).toISOString();
const { events, webhooks } = new Shorty({ baseUrl, accessToken: 'token', maxRetries: 0 });

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
  const body: WebhookCreateRequest = { url: 'https://example.com/hook', events: ['url.created'] };
  await webhooks.create(body);
  await webhooks.list({ limit: 5 });
  await webhooks.get(id);
  await webhooks.update(id, { isActive: false });
  await webhooks.delete(id);
  await webhooks.test(id);
  await webhooks.test(id, { type: 'qr.created' });
  await webhooks.rotateSecret(id);
  await webhooks.rotateSecret(id, {}, { expireOldAfterSeconds: 0 });
  await webhooks.deliveries(id, { status: 'failed', limit: 5 });
  await webhooks.delivery(id, deliveryId);
  await webhooks.replay(id, deliveryId, { idempotencyKey: 'mine' });
  await webhooks.recover(id, { since: new Date(0) });
  await webhooks.stats(id, { since: new Date(0), groupBy: 'hour' });
  await webhooks.eventTypes();
  await events.list({ after: 'latest', wait: 20 });
  const path = `/api/v1/webhooks/${id}`;
  expect(sent).toEqual([
    ['POST /api/v1/webhooks', body],
    ['GET /api/v1/webhooks?limit=5', undefined],
    [`GET ${path}`, undefined],
    [`PATCH ${path}`, { isActive: false }],
    [`DELETE ${path}`, undefined],
    [`POST ${path}/test`, {}],
    [`POST ${path}/test`, { type: 'qr.created' }],
    [`POST ${path}/rotate-secret`, undefined],
    [`POST ${path}/rotate-secret`, { expireOldAfterSeconds: 0 }],
    [`GET ${path}/deliveries?status=failed&limit=5`, undefined],
    [`GET ${path}/deliveries/${deliveryId}`, undefined],
    [`POST ${path}/deliveries/${deliveryId}/replay`, undefined],
    [`POST ${path}/recover`, { since: epoch }],
    [`GET ${path}/stats?since=${encodeURIComponent(epoch)}&groupBy=hour`, undefined],
    ['GET /api/v1/event-types', undefined],
    ['GET /api/v1/events?after=latest&wait=20', undefined],
  ]);
  expect(keys).toHaveLength(7);
  expect(new Set(keys).size).toBe(7);
  expect(keys[5]).toBe('mine');
});

it('iterating deliveries requests all pages', async () => {
  const ids = Array.from({ length: 120 }, (_, at) => String(120 - at));
  server.use(
    http.get(`${api}/webhooks/${id}/deliveries`, ({ request }) => {
      const { searchParams } = new URL(request.url);
      expect(searchParams.get('status')).toBe('failed');
      const offset = Number(searchParams.get('after'));
      const items = ids.slice(offset, offset + 100).map((each) => ({ id: each }));
      const nextAfter = offset === 0 ? '100' : null;
      return success({ total: ids.length, limit: 100, offset, items, nextAfter });
    }),
  );
  const seen: string[] = [];
  for await (const each of webhooks.deliveries(id, { status: 'failed' })) seen.push(each.id);
  expect(seen).toEqual(ids);
});

it('a plan without webhooks is a PermissionError with its code', async () => {
  server.use(http.post(`${api}/webhooks`, () => failure(403, 'PLAN_REQUIRED')));
  const created = webhooks.create({ url: 'https://example.com', events: ['url.created'] });
  await expect(created).rejects.toThrow(PermissionError);
  await expect(created).rejects.toMatchObject({ status: 403, code: 'PLAN_REQUIRED' });
});
