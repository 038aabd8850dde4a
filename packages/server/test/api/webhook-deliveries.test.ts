import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { receiver } from '../webhooks/receiver.js';
import { startForFile } from './start-server.js';

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

const api = await startForFile({ allowPrivateNetwork: true, thresholds: [2] });

const subscribe = async (url: string, events: readonly string[] = ['url.created']) =>
  (await api.call('createWebhook', { body: { url, events } })).data;
const createUrl = api.createLink;
const remove = (id: string) => api.call('deleteWebhook', { params: { id } });

/** The webhook's deliveries once none of them is pending before its first attempt. */
async function settled(id: string, count: number) {
  await expect
    .poll(async () => {
      const { data } = await api.call('listDeliveries', { params: { id } });
      return data.items.filter(({ attempts }) => attempts > 0).length;
    })
    .toBe(count);
  return (await api.call('listDeliveries', { params: { id } })).data.items;
}

describe('each delivery is an HTTP request to the webhook url', () => {
  it('with the headers of the specification, and a body of id, type, createdAt and data', async () => {
    const hook = await receiver();
    const { id, secret } = await subscribe(`${hook.url}/in?key=1`);
    const url = await createUrl();
    await hook.arrived(1);
    const [delivery] = await settled(id, 1);
    const [got] = hook.received;
    if (!got || !delivery) throw new Error('nothing has arrived');
    expect([got.method, got.path]).toEqual(['POST', '/in?key=1']);
    expect(got.headers).toMatchObject({
      'x-service-event': 'url.created',
      'x-service-delivery-id': delivery.id,
      'x-service-timestamp': String(Math.floor(api.clock() / 1000)),
      'content-type': 'application/json; charset=utf-8',
    });
    expect(delivery.id).toMatch(uuid);
    const timestamp = got.headers['x-service-timestamp'];
    const hmac = createHmac('sha256', secret).update(`${timestamp}.${got.body}`).digest('hex');
    expect(got.headers['x-service-signature']).toBe(`sha256=${hmac}`);
    const body = JSON.parse(got.body);
    expect(Object.keys(body)).toEqual(['id', 'type', 'createdAt', 'data']);
    expect(body.createdAt).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(body.data).toMatchObject({
      id: url.id,
      shortCode: url.shortCode,
      targetUrl: 'https://example.com/',
      organizationId: url.organizationId,
    });
    expect(delivery).toMatchObject({
      webhookId: id,
      eventId: body.id,
      eventType: 'url.created',
      status: 'delivered',
      attempts: 1,
      nextAttemptAt: null,
      lastStatusCode: 204,
      lastError: null,
    });
    await remove(id);
  });
});

describe('GET /webhooks/{id}/deliveries', () => {
  it('lists deliveries, including those marked failed; a status filters; one has its attempts', async () => {
    const hook = await receiver((response, count) => {
      response.writeHead(count === 1 ? 500 : 204).end(count === 1 ? 'x'.repeat(5000) : '');
    });
    const { id } = await subscribe(hook.url);
    await createUrl();
    const [failing] = await settled(id, 1);
    await createUrl();
    await settled(id, 2);
    expect(failing).toMatchObject({
      status: 'pending',
      attempts: 1,
      nextAttemptAt: new Date(api.clock() + 30_000).toISOString(),
      lastStatusCode: 500,
      lastError: 'The receiver answered 500',
      deliveredAt: null,
    });
    const count = async (status: string) =>
      (await api.call('listDeliveries', { params: { id }, query: { status } })).data.total;
    expect([await count('pending'), await count('delivered'), await count('failed')]).toEqual([
      1, 1, 0,
    ]);
    const params = { id, deliveryId: failing?.id ?? '' };
    const { data } = await api.call('getDelivery', { params });
    expect(data.requestBody).toBe(hook.received[0]?.body);
    expect(data.attemptHistory).toMatchObject([
      {
        number: 1,
        attemptedAt: new Date(api.clock()).toISOString(),
        statusCode: 500,
        error: 'The receiver answered 500',
        responseBody: 'x'.repeat(2048),
      },
    ]);
    const wrong = await api.call('listDeliveries', { params: { id }, query: { status: 'lost' } });
    expect(wrong.invalidFields).toEqual(['status']);
    await remove(id);
  });

  it('filters by type, status and time, in any combination', async () => {
    const hook = await receiver();
    const { id } = await subscribe(hook.url, ['url.created', 'url.updated', 'qr.created']);
    const url = await createUrl();
    const createdBefore = new Date(api.clock() + 1).toISOString();
    api.clock.advance(60_000);
    await api.call('updateUrl', { params: { id: url.id }, body: { title: 'New' } });
    await api.call('createQr', { body: { urlId: Number(url.id) } });
    await api.call('createQr', { body: { data: 'no link' } });
    await createUrl();
    await settled(id, 5);
    const list = async (query: Record<string, string>) => {
      const { data } = await api.call('listDeliveries', { params: { id }, query });
      expect(data.total).toBe(data.items.length);
      return data.items.map(({ eventType }) => eventType);
    };
    expect(await list({ eventType: 'url.created' })).toEqual(['url.created', 'url.created']);
    expect(await list({ eventType: 'url.created', status: 'failed' })).toEqual([]);
    expect(await list({ eventType: 'qr.created', status: 'delivered' })).toHaveLength(2);
    expect(await list({ until: createdBefore })).toEqual(['url.created']);
    expect(await list({ since: createdBefore })).toHaveLength(4);
    expect(await list({ since: createdBefore, eventType: 'url.created' })).toHaveLength(1);
    const page = { limit: '1', eventType: 'qr.created' };
    const first = await api.call('listDeliveries', { params: { id }, query: page });
    const query = { ...page, after: first.data.nextAfter ?? '' };
    const second = await api.call('listDeliveries', { params: { id }, query });
    expect(second.data.items.map(({ eventType }) => eventType)).toEqual(['qr.created']);
    expect(second.data.items[0]?.id).not.toBe(first.data.items[0]?.id);
    const wrong = await api.call('listDeliveries', {
      params: { id },
      query: { eventType: 'url', since: 'soon' },
    });
    expect(wrong.invalidFields).toEqual(['eventType', 'since']);
    await remove(id);
  });
});

it('a replay delivers the same event and body under another delivery id', async () => {
  const hook = await receiver();
  const { id } = await subscribe(hook.url);
  await createUrl();
  const [first] = await settled(id, 1);
  const params = { id, deliveryId: first?.id ?? '' };
  const replayed = await api.call('replayDelivery', { params });
  expect(replayed.status).toBe(201);
  await settled(id, 2);
  const [one, two] = hook.received;
  expect(two?.body).toBe(one?.body);
  expect(two?.headers['x-service-delivery-id']).toBe(replayed.data.id);
  expect(replayed.data.id).not.toBe(first?.id);
  expect(replayed.data.eventId).toBe(first?.eventId);
  await remove(id);
});

describe('POST /webhooks/{id}/rotate-secret', () => {
  const hour = 60 * 60 * 1000;
  const day = 24 * hour;
  const inMs = (ms: number) => new Date(api.clock() + ms).toISOString();

  async function openRotation() {
    const hook = await receiver();
    // Tokens live for an hour.
    const signIn = () => api.signIn(api.credentials);
    const subscription = { url: hook.url, events: ['url.created'] };
    const created = await (await signIn()).call('createWebhook', { body: subscription });
    const { id, secret } = created.data;
    return {
      id,
      first: secret,
      async rotate(body?: object) {
        return (await signIn()).call('rotateWebhookSecret', { params: { id }, body });
      },
      async ends() {
        const caller = await signIn();
        const { data } = await caller.call('getWebhook', { params: { id } });
        const { data: page } = await caller.call('listWebhooks');
        const listed = page.items.find((webhook) => webhook.id === id);
        expect(listed?.previousSecrets).toEqual(data.previousSecrets);
        return data.previousSecrets.map(({ expiresAt }) => expiresAt);
      },
      /** Sends a delivery, and returns which of the secrets signed each of its headers. */
      async signers(secrets: readonly string[]) {
        const count = hook.received.length + 1;
        await (await signIn()).call('testWebhook', { params: { id } });
        await hook.arrived(count);
        const got = hook.received[count - 1];
        if (!got) throw new Error('nothing has arrived');
        const { headers, body } = got;
        const timestamp = headers['x-service-timestamp'];
        const signerOf = (header: unknown, sign: (secret: string) => string) =>
          header === undefined ? undefined : secrets.findIndex((each) => sign(each) === header);
        const hex = (secret: string) =>
          `sha256=${createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex')}`;
        const content = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`;
        const base64 = (secret: string) =>
          `v1,${createHmac('sha256', secret).update(content).digest('base64')}`;
        return {
          signature: signerOf(headers['x-service-signature'], hex),
          next: signerOf(headers['x-service-signature-next'], hex),
          standard: String(headers['webhook-signature'])
            .split(' ')
            .map((each) => signerOf(each, base64)),
        };
      },
    };
  }

  it('the old secret signs beside the new one for 24 h, and no longer', async () => {
    const { first, rotate, signers, ends } = await openRotation();
    expect(await ends()).toEqual([]);
    const { data } = await rotate();
    expect(data.previousSecretExpiresAt).toBe(inMs(day));
    expect(await ends()).toEqual([inMs(day)]);
    const secrets = [first, data.secret];
    const both = { signature: 0, next: 1, standard: [1, 0] };
    expect(await signers(secrets)).toEqual(both);
    api.clock.advance(day - 1);
    expect(await signers(secrets)).toEqual(both);
    api.clock.advance(1);
    expect(await signers(secrets)).toEqual({ signature: 1, next: undefined, standard: [1] });
    expect(await ends()).toEqual([]);
  });

  it('a second rotation does not end the first secret before its promised end: it is refused', async () => {
    const { first, rotate, signers, ends } = await openRotation();
    const second = (await rotate()).data.secret;
    const firstEnd = inMs(day);
    api.clock.advance(hour);

    const refused = await rotate();
    expect([refused.status, refused.error?.code]).toEqual([409, 'SECRET_CONFLICT']);
    expect(refused.error?.message).toContain(firstEnd);
    expect(refused.error?.message).toContain('now: expireOldAfterSeconds 0');
    expect((await rotate({ expireOldAfterSeconds: 60 })).status).toBe(409);
    expect(await ends()).toEqual([firstEnd]);
    expect(await signers([first, second])).toEqual({ signature: 0, next: 1, standard: [1, 0] });

    api.clock.advance(day - hour);
    const { status, data: third } = await rotate();
    expect(status).toBe(200);
    expect(await ends()).toEqual([inMs(day)]);
    expect(await signers([first, second, third.secret])).toEqual({
      signature: 1,
      next: 2,
      standard: [2, 1],
    });
  });

  it('expireOldAfterSeconds ends all old secrets sooner, and 0 ends them at once', async () => {
    const { first, rotate, signers, ends } = await openRotation();
    const { data: second } = await rotate({ expireOldAfterSeconds: 60 });
    expect(second.previousSecretExpiresAt).toBe(inMs(60_000));
    expect(await ends()).toEqual([inMs(60_000)]);
    const { data: third } = await rotate({ expireOldAfterSeconds: 0 });
    expect(third.previousSecretExpiresAt).toBe(inMs(0));
    expect(await ends()).toEqual([]);
    const secrets = [first, second.secret, third.secret];
    expect(await signers(secrets)).toEqual({ signature: 2, next: undefined, standard: [2] });
  });
});
