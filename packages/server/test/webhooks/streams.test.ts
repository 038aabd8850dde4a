import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { standardPlans } from '../../src/organizations/plans.js';
import { maxStreams, streamLifetimeMs } from '../../src/webhooks/webhook-limits.js';
import { type Caller, startServer, type TestServer } from '../api/start-server.js';
import { receiver } from './receiver.js';
import { openStream, parseDeliveries, verifyStreamed } from './stream-reader.js';

let api: TestServer;
beforeAll(async () => {
  api = await startServer({ allowPrivateNetwork: true });
});
afterAll(() => api.stop());

/** Returns an organization of its own, so that no test sees the events of another. */
const newcomer = async (plan: keyof typeof standardPlans = 'scale') =>
  api.signIn(await api.createOrganization(plan));
const create = async (caller: Caller, body: object = {}) =>
  (await caller.call('createWebhookStream', { body })).data;
const follow = (caller: Caller, id: string, options?: { isReading?: boolean }) =>
  openStream(api.server.url, caller.token, id, options);
const createUrl = async (caller: Caller, body: object = {}) =>
  (await caller.call('createUrl', { body: { targetUrl: 'https://example.com/', ...body } })).data;
const report = (caller: Caller, id: string, ...outcomes: object[]) =>
  caller.call('reportOutcomes', {
    params: { id },
    body: { outcomes: outcomes.map((each) => ({ statusCode: 204, durationMs: 3, ...each })) },
  });
const deliveriesOf = async (caller: Caller, id: string) =>
  (await caller.call('listDeliveries', { params: { id } })).data.items;
const isGone = async (caller: Caller, id: string) =>
  (await caller.call('getWebhook', { params: { id } })).status === 404;

describe('a stream', () => {
  it('sends what a receiver gets, signed, and records the outcome that its client reports', async () => {
    const caller = await newcomer();
    const hook = await receiver();
    await caller.call('createWebhook', { body: { url: hook.url, events: ['*'] } });
    const { id, secret, events, url: path } = await create(caller);
    expect(events).toEqual(['*']);
    expect(path).toBe(`/api/v1/webhooks/streams/${id}`);
    const reader = await follow(caller, id);
    expect(reader.response.headers).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store, no-transform',
      'x-accel-buffering': 'no',
    });
    const url = await createUrl(caller, { title: 'Zoë\n"☃"' });
    await Promise.all([reader.arrived(1), hook.arrived(1)]);
    const [delivery] = reader.deliveries;
    const [got] = hook.received;
    if (!delivery || !got) throw new Error('nothing has arrived');
    expect(verifyStreamed(delivery, secret, api.clock())).toMatchObject({
      type: 'url.created',
      data: { id: url.id },
    });
    expect(delivery.body).toBe(got.body);
    const own = Object.keys(delivery.headers).map((name) => name.toLowerCase());
    const transport = [
      'host',
      'connection',
      'content-length',
      'accept-encoding',
      'transfer-encoding',
    ];
    expect(own.sort()).toEqual(
      Object.keys(got.headers)
        .filter((name) => !transport.includes(name))
        .sort(),
    );
    expect(await deliveriesOf(caller, id)).toMatchObject([{ status: 'pending', attempts: 0 }]);

    const outcome = {
      deliveryId: delivery.id,
      statusCode: 201,
      durationMs: 12,
      responseBody: 'o\0k',
    };
    expect((await report(caller, id, outcome)).data).toEqual({ recorded: 1 });
    expect((await report(caller, id, outcome)).data).toEqual({ recorded: 0 });
    const params = { id, deliveryId: delivery.id };
    expect((await caller.call('getDelivery', { params })).data).toMatchObject({
      status: 'delivered',
      lastStatusCode: 201,
      attemptHistory: [{ number: 1, durationMs: 12, statusCode: 201, responseBody: 'o\uFFFDk' }],
    });
  });

  it('has statistics, and its pending deliveries count, but are never overdue', async () => {
    const caller = await newcomer();
    const { id } = await create(caller);
    const stats = async () => (await caller.call('getWebhookStats', { params: { id } })).data;
    const figure = async (name: string) => {
      const metrics = await (await fetch(`${api.server.url}/metrics`)).text();
      return Number(new RegExp(`^${name} (.*)$`, 'm').exec(metrics)?.[1]);
    };
    // The deliveries of other tests count, too.
    const countPending = async () => {
      const { pending } = await api.server.database.read
        .selectFrom('deliveries')
        .where('due_at', 'is not', null)
        .select(({ fn }) => fn.countAll<number>().as('pending'))
        .executeTakeFirstOrThrow();
      return pending;
    };
    const countsAll = async () =>
      (await figure('shorty_deliveries_pending')) === (await countPending());
    await createUrl(caller);
    await createUrl(caller);
    expect((await stats()).pending.count).toBe(2);
    api.clock.advance(10_000);
    expect(await countPending()).toBeGreaterThanOrEqual(2);
    await expect.poll(countsAll).toBe(true);
    expect(await figure('shorty_webhook_oldest_pending_seconds{endpoint="answering"}')).toBe(0);
    const reader = await follow(caller, id);
    await reader.arrived(2);
    const [one, two] = reader.deliveries.map((delivery) => delivery.id);
    await report(caller, id, { deliveryId: one }, { deliveryId: two, statusCode: 500 });
    expect(await stats()).toMatchObject({
      totals: { attempts: 2, failedAttempts: 1, successRate: 0.5, delivered: 1, failed: 1 },
      failures: [{ cause: 'status_5xx', attempts: 1 }],
      pending: { count: 0 },
    });
    await expect.poll(countsAll).toBe(true);
    const { data: usage } = await caller.call('getUsage');
    expect(usage.meters.webhook_delivery.used).toBe(1);
  });

  it('counts among the five webhooks that name url.clicked', async () => {
    const caller = await newcomer();
    const events = ['url.clicked'];
    for (let at = 0; at < 4; at += 1) {
      await caller.call('createWebhook', { body: { url: 'https://example.com/', events } });
    }
    await create(caller, { events });
    const refused = await caller.call('createWebhookStream', { body: { events } });
    expect(refused.error.message).toContain('at most 5 webhooks');
    expect((await create(caller)).events).toEqual(['*']);
  });

  it('has the filters of a webhook, and no past events with them', async () => {
    const caller = await newcomer();
    const wanted = await createUrl(caller, { tags: ['launch'] });
    const { id, filters } = await create(caller, {
      events: ['url.updated'],
      filters: { tags: ['launch'], urlIds: [Number(wanted.id)], domainIds: null },
    });
    expect(filters).toEqual({ tags: ['launch'], urlIds: [wanted.id] });
    expect((await create(caller)).filters).toBeNull();
    const reader = await follow(caller, id);
    const other = await createUrl(caller, { tags: ['launch'] });
    for (const url of [other, wanted]) {
      await caller.call('updateUrl', { params: { id: url.id }, body: { title: 'x' } });
    }
    await reader.arrived(1);
    expect(JSON.parse(reader.deliveries[0]?.body ?? '').data.id).toBe(wanted.id);

    const refused = async (body: object) =>
      (await caller.call('createWebhookStream', { body })).error.details;
    expect(await refused({ filters: { urlIds: [999_999] } })).toEqual([
      { path: 'filters.urlIds[0]', message: 'does not exist in this organization' },
    ]);
    expect(await refused({ filters: { tags: ['a'] }, replayLast: 2 })).toEqual([
      { path: 'replayLast', message: 'is 2: must be 0 with filters' },
    ]);
  });

  it('does not retry a delivery that failed, and never disables the webhook', async () => {
    const caller = await newcomer();
    const { id } = await create(caller);
    const reader = await follow(caller, id);
    for (let at = 0; at < 3; at += 1) await createUrl(caller);
    await reader.arrived(3);
    const [one, two, three] = reader.deliveries.map((delivery) => delivery.id);
    const { data } = await report(
      caller,
      id,
      { deliveryId: one, statusCode: 410 },
      { deliveryId: two, statusCode: null, error: 'connect ECONNREFUSED 127.0.0.1:3000' },
      { deliveryId: three, statusCode: null },
    );
    expect(data.recorded).toBe(3);
    const byId = new Map((await deliveriesOf(caller, id)).map((each) => [each.id, each]));
    const failed = { status: 'failed', attempts: 1, nextAttemptAt: null };
    expect(byId.get(one ?? '')).toMatchObject({
      ...failed,
      lastError: 'The receiver answered 410',
    });
    expect(byId.get(two ?? '')).toMatchObject({
      ...failed,
      lastError: 'connect ECONNREFUSED 127.0.0.1:3000',
    });
    expect(byId.get(three ?? '')).toMatchObject({ ...failed, lastError: 'No response' });
    expect((await caller.call('getWebhook', { params: { id } })).data).toMatchObject({
      isActive: true,
      disabledAt: null,
      failingSince: null,
      failureRate: null,
    });

    // It can be sent again by hand.
    const params = { id, deliveryId: one ?? '' };
    const again = (await caller.call('replayDelivery', { params })).data;
    await reader.arrived(4);
    expect(reader.deliveries[3]?.id).toBe(again.id);
    expect(reader.deliveries[3]?.body).toBe(reader.deliveries[0]?.body);
  });

  it('sends deliveries without an outcome again to the next connection, and ends the first', async () => {
    const caller = await newcomer();
    const { id } = await create(caller);
    const first = await follow(caller, id);
    await createUrl(caller);
    await createUrl(caller);
    await first.arrived(2);
    const [done, open] = first.deliveries;
    await report(caller, id, { deliveryId: done?.id });
    const second = await follow(caller, id);
    await second.arrived(1);
    expect(second.deliveries.map((delivery) => delivery.id)).toEqual([open?.id]);
    await expect.poll(first.hasEnded).toBe(true);
    expect(second.hasEnded()).toBe(false);
  });

  it('has what was due while nobody followed it, in the order of time', async () => {
    const caller = await newcomer();
    const { id } = await create(caller, { events: ['url.created', 'url.updated'] });
    const url = await createUrl(caller);
    api.clock.advance(1);
    await caller.call('updateUrl', { params: { id: url.id }, body: { title: 'x' } });
    await caller.call('createQr', { body: { urlId: url.id } });
    const response = await caller.send('GET', `/api/v1/webhooks/streams/${id}`);
    const types = parseDeliveries(response.text).map(({ body }) => JSON.parse(body).type);
    expect(types).toEqual(['url.created', 'url.updated']);
    // The client has them, and has not reported outcomes yet.
    expect(
      parseDeliveries((await caller.send('GET', `/api/v1/webhooks/streams/${id}`)).text),
    ).toEqual([]);
    api.clock.advance(59_999);
    await caller.send('GET', `/api/v1/webhooks/streams/${id}`);
    api.clock.advance(1);
    const again = await caller.send('GET', `/api/v1/webhooks/streams/${id}`);
    expect(parseDeliveries(again.text)).toHaveLength(2);
  });

  it('begins with the last events of the organization on request', async () => {
    const caller = await newcomer();
    const { id: webhookId } = (
      await caller.call('createWebhook', {
        body: { url: 'http://127.0.0.1:2/', events: ['url.created', 'url.updated'] },
      })
    ).data;
    const ids: string[] = [];
    for (let at = 0; at < 4; at += 1) {
      api.clock.advance(1);
      ids.push((await createUrl(caller)).id);
    }
    await caller.call('updateUrl', { params: { id: ids[0] ?? '' }, body: { title: 'x' } });
    await caller.call('testWebhook', { params: { id: webhookId } });
    const body = { events: ['url.created'], replayLast: 3 };
    const { id, replayed } = await create(caller, body);
    expect(replayed).toBe(3);
    const reader = await follow(caller, id);
    await reader.arrived(3);
    ids.push((await createUrl(caller)).id);
    await reader.arrived(4);
    expect(reader.deliveries.map((each) => JSON.parse(each.body).data.id)).toEqual(ids.slice(1));
    // Only the new event counts in the usage.
    const charged = await api.server.database.read
      .selectFrom('deliveries')
      .select('is_charged')
      .where('webhook_id', '=', id)
      .orderBy('created_at')
      .execute();
    expect(charged.map(({ is_charged }) => is_charged)).toEqual([0, 0, 0, 1]);

    const developer = await newcomer('developer');
    const refused = await developer.call('createWebhookStream', { body });
    expect(refused.outcome).toBe('403 PLAN_REQUIRED');
  });
});

describe('a stream is temporary', () => {
  it('ends when it is deleted', async () => {
    const caller = await newcomer();
    const { id } = await create(caller);
    const reader = await follow(caller, id);
    await caller.call('deleteWebhook', { params: { id } });
    await expect.poll(reader.hasEnded).toBe(true);
  });

  it('does not count as a webhook, and has no URL to change', async () => {
    const caller = await newcomer();
    const { id } = await create(caller);
    const updated = await caller.call('updateWebhook', {
      params: { id },
      body: { url: 'https://example.com/' },
    });
    expect(updated.invalidFields).toEqual(['url']);
    const { data } = await caller.call('updateWebhook', {
      params: { id },
      body: { events: ['qr.created'], headers: { 'X-Tenant': 'one' } },
    });
    expect(data.events).toEqual(['qr.created']);
    const reader = await follow(caller, id);
    await caller.call('testWebhook', { params: { id } });
    await reader.arrived(1);
    expect(reader.deliveries[0]?.headers['X-Tenant']).toBe('one');
  });

  it('is refused for a webhook with a receiver, and for the plan free', async () => {
    const caller = await newcomer();
    const { id } = (
      await caller.call('createWebhook', {
        body: { url: 'http://127.0.0.1:2/', events: ['url.created'] },
      })
    ).data;
    expect((await caller.send('GET', `/api/v1/webhooks/streams/${id}`)).invalidFields).toEqual([
      'id',
    ]);
    const { id: deliveryId } = (await caller.call('testWebhook', { params: { id } })).data;
    // Nobody can forge the outcomes of a receiver.
    expect((await report(caller, id, { deliveryId })).invalidFields).toEqual(['id']);
    const free = await newcomer('free');
    expect((await free.call('createWebhookStream', { body: {} })).outcome).toBe(
      '403 PLAN_REQUIRED',
    );
  });

  it('accepts outcomes of its own deliveries only', async () => {
    const caller = await newcomer();
    const [one, two] = [await create(caller), await create(caller)];
    const { id: deliveryId } = (await caller.call('testWebhook', { params: { id: one.id } })).data;
    expect((await report(caller, two.id, { deliveryId })).data.recorded).toBe(0);
    const stranger = await newcomer();
    expect((await report(stranger, one.id, { deliveryId })).outcome).toBe('404 NOT_FOUND');
    expect((await follow(stranger, one.id)).response.statusCode).toBe(404);
  });
});

describe('a client that does not read', () => {
  it('gets a bounded number of deliveries, delays nobody, and loses the stream', async () => {
    const caller = await newcomer();
    const [stalled, healthy] = [await create(caller), await create(caller)];
    const unread = await follow(caller, stalled.id, { isReading: false });
    const reader = await follow(caller, healthy.id);
    // Together more than the buffers of its socket hold, on most systems.
    const large = { type: 'url.created', set: { title: 'x'.repeat(60_000) } };
    for (let count = 0; count < 110; count += 1) {
      await caller.call('testWebhook', { params: { id: stalled.id }, body: large });
    }
    await createUrl(caller);
    await reader.arrived(1);
    const claimed = await api.server.database.read
      .selectFrom('deliveries')
      .select('id')
      .where('webhook_id', '=', stalled.id)
      .where('due_at', '>', api.clock())
      .execute();
    expect(claimed.length).toBeGreaterThan(0);
    expect(claimed.length).toBeLessThanOrEqual(100);
    await expect
      .poll(
        async () => {
          api.clock.advance(5_000);
          return isGone(caller, stalled.id);
        },
        { timeout: 50_000 },
      )
      .toBe(true);
    unread.close();
  });
});

describe('POST /webhooks/{id}/test with other values', () => {
  const trigger = (caller: Caller, id: string, type: string, set: object) =>
    caller.call('testWebhook', { params: { id }, body: { type, set } });

  it('changes the example', async () => {
    const caller = await newcomer();
    const { id, secret } = await create(caller);
    const reader = await follow(caller, id);
    await trigger(caller, id, 'url.clicked', { 'visits[0].country': 'FR', omitted: 3 });
    await trigger(caller, id, 'url.created', { id: 42, title: null, tags: ['a', 'b'] });
    await reader.arrived(2);
    const [clicked, created] = reader.deliveries.map((each) =>
      verifyStreamed(each, secret, api.clock()),
    );
    expect(clicked).toMatchObject({
      type: 'url.clicked',
      test: true,
      data: { visits: [{ country: 'FR', browser: 'Firefox' }], omitted: 3 },
    });
    expect(created).toMatchObject({ data: { id: '42', title: null, tags: ['a', 'b'] } });
  });

  it.each<[string, object, string]>([
    ['url.created', { titel: 'x' }, 'set.titel'],
    ['url.created', { 'customUtmParams.__proto__': 'x' }, 'set.customUtmParams.__proto__'],
    ['url.created', { constructor: 'x' }, 'set.constructor'],
    ['url.created', { 'title.length': 3 }, 'set.title.length'],
    ['url.created', { clickCount: 'many' }, 'set.clickCount'],
    ['url.created', { 'tags[0]': 'x' }, 'set.tags[0]'],
    ['url.created', { '': 'x' }, 'set.'],
    ['url.clicked', { 'visits[1].country': 'FR' }, 'set.visits[1].country'],
    ['url.clicked', { 'visits[0].ip': '192.0.2.1' }, 'set.visits[0].ip'],
    ['url.clicked', { visits: [{}] }, 'set.visits[0].urlId'],
  ])('refuses for %s %j by name', async (type, set, path) => {
    const { id } = await create(api);
    const response = await trigger(api, id, type, set);
    expect(response.outcome).toBe('400 VALIDATION_FAILED');
    expect(response.error.details?.[0]?.path).toBe(path);
    await api.call('deleteWebhook', { params: { id } });
  });

  it('refuses the key __proto__ and data that is too large', async () => {
    const { id } = await create(api);
    const send = (body: string) =>
      api.send('POST', `/api/v1/webhooks/${id}/test`, {
        headers: { 'content-type': 'application/json' },
        body,
      });
    expect((await send('{"set":{"__proto__":1}}')).outcome).toBe('400 VALIDATION_FAILED');
    const large = JSON.stringify({ type: 'url.created', set: { title: 'x'.repeat(70_000) } });
    expect((await send(large)).outcome).toBe('400 VALIDATION_FAILED');
    await api.call('deleteWebhook', { params: { id } });
  });
});

// Near the end, because expired streams are kept in the first seconds of a server.
describe('a stream that nobody reads', () => {
  it('is deleted a minute after it was last read, and frees its place', async () => {
    const caller = await newcomer();
    const { id } = await create(caller);
    const webhooks = (await caller.call('listWebhooks')).data.items;
    const expiresAt = new Date(api.clock() + streamLifetimeMs).toISOString();
    expect(webhooks).toMatchObject([{ id, expiresAt }]);
    for (let at = 1; at < maxStreams; at += 1) await create(caller);
    const refused = await caller.call('createWebhookStream', { body: {} });
    expect(refused.outcome).toBe('402 QUOTA_EXCEEDED');
    expect(refused.error.message).toContain('at most 5 webhook streams, and 5 exist');

    const reader = await follow(caller, id);
    for (let passed = 0; passed < 2 * streamLifetimeMs; passed += 20_000) {
      const heartbeats = () => reader.text().split(': heartbeat\n\n').length - 1;
      const before = heartbeats();
      api.clock.advance(20_000);
      await expect.poll(heartbeats, { timeout: 10_000 }).toBeGreaterThan(before);
    }
    await expect
      .poll(async () => (await caller.call('listWebhooks')).data.total, { timeout: 20_000 })
      .toBe(1);
    expect(await isGone(caller, id)).toBe(false);
    expect((await create(caller)).id).not.toBe(id);

    // As after a kill -9 of the client.
    reader.close();
    await expect
      .poll(
        async () => {
          api.clock.advance(5_000);
          return isGone(caller, id);
        },
        { timeout: 30_000 },
      )
      .toBe(true);
    await createUrl(caller);
    const left = await api.server.database.read
      .selectFrom('deliveries')
      .select('id')
      .where('webhook_id', '=', id)
      .execute();
    expect(left).toEqual([]);
    expect((await follow(caller, id)).response.statusCode).toBe(404);
  });
});

describe('a stop of the server', () => {
  it('ends open streams at once', async () => {
    const other = await startServer();
    const { id } = (await other.call('createWebhookStream', { body: {} })).data;
    const reader = await openStream(other.server.url, other.token, id);
    const startedAt = performance.now();
    await other.stop();
    expect(performance.now() - startedAt).toBeLessThan(5_000);
    await expect.poll(reader.hasEnded).toBe(true);
    expect(reader.response.complete).toBe(true);
  });
});
