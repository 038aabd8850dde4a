import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { type Caller, startForFile } from './start-server.js';

const api = await startForFile();

const url = 'https://receiver.example/hook';
const events = ['url.created', 'url.updated'];
const create = (body: object = {}, caller: Caller = api) =>
  caller.call('createWebhook', { body: { url, events, ...body } });

describe('POST /api/v1/webhooks', () => {
  it('returns the webhook with its secret, which only this response contains', async () => {
    const { status, data } = await create();
    expect(status).toBe(201);
    const { secret, standardWebhooksSecret, ...record } = data;
    expect(record).toMatchObject({ url, events, isActive: true });
    expect(secret).toMatch(/^shorty_ws_[\w-]{43}$/);
    expect(standardWebhooksSecret).toBe(`whsec_${Buffer.from(secret).toString('base64')}`);
    const params = { id: data.id };
    const reads = [
      await api.call('getWebhook', { params }),
      await api.call('listWebhooks'),
      await api.call('updateWebhook', { params, body: {} }),
      await api.call('deleteWebhook', { params }),
    ];
    expect(reads[0]?.data).toEqual(record);
    for (const { status, text } of reads) {
      expect(status).toBe(200);
      expect(text).not.toMatch(/shorty_ws_|whsec_/);
    }
  });

  it('accepts isActive, and merges duplicate event types', async () => {
    const { data } = await create({ isActive: false, events: [...events, ...events] });
    expect(data).toMatchObject({ isActive: false, events });
  });

  it.each([
    [{ url: 'ftp://receiver.example/' }, 'url'],
    [{ url: 'http://127.0.0.1/' }, 'url'],
    [{ events: ['url.created', 'url.visited'] }, 'events[1]'],
  ])('refuses %j and names the field', async (body, field) => {
    const answer = await create(body);
    expect(answer.outcome).toBe('400 VALIDATION_FAILED');
    expect(answer.invalidFields).toEqual([field]);
  });

  it('an organization has at most 50', async () => {
    const caller = await api.newcomer('developer');
    const made = await Promise.all(Array.from({ length: 50 }, () => create({}, caller)));
    expect(new Set(made.map(({ status }) => status))).toEqual(new Set([201]));
    expect((await create({}, caller)).outcome).toBe('402 QUOTA_EXCEEDED');
    const { data } = await caller.call('listWebhooks', { query: { limit: 1 } });
    await caller.call('deleteWebhook', { params: { id: data.items[0]?.id ?? '' } });
    expect((await create({}, caller)).status).toBe(201);
  });
});

describe('plans', () => {
  it('webhooks are unavailable on the free plan', async () => {
    const free = await api.newcomer('free');
    expect((await create({}, free)).outcome).toBe('403 PLAN_REQUIRED');
    expect((await free.call('listWebhooks')).data.items).toEqual([]);
  });

  it('replay and recovery come with scale and enterprise', async () => {
    const caller = await api.newcomer('developer');
    const { data } = await create({}, caller);
    const params = { id: data.id, deliveryId: randomUUID() };
    expect((await caller.call('replayDelivery', { params })).outcome).toBe('403 PLAN_REQUIRED');
    const call = { params, body: { since: '2000-01-01' } };
    expect((await caller.call('recoverDeliveries', call)).outcome).toBe('403 PLAN_REQUIRED');
    const { id } = (await create()).data;
    const withoutSince = await api.call('recoverDeliveries', { params: { id }, body: {} });
    expect(withoutSince.invalidFields).toEqual(['since']);
  });
});

describe('GET, PATCH and DELETE', () => {
  it('PATCH changes only the fields in its body', async () => {
    const { data } = await create();
    api.clock.advance(1000);
    const params = { id: data.id };
    const body = { url: 'https://new.example/', events: ['qr.created'], isActive: false };
    const changed = await api.call('updateWebhook', { params, body });
    expect(changed.data).toMatchObject(body);
    expect(changed.data.updatedAt > changed.data.createdAt).toBe(true);
    const refused = await api.call('updateWebhook', { params, body: { url: 'http://10.0.0.1/' } });
    expect(refused.outcome).toBe('400 VALIDATION_FAILED');
    expect((await api.call('getWebhook', { params })).data).toEqual(changed.data);
  });

  it('DELETE returns the deleted webhook, which is then not found', async () => {
    const { data } = await create();
    const params = { id: data.id };
    expect((await api.call('deleteWebhook', { params })).data.id).toBe(data.id);
    expect((await api.call('deleteWebhook', { params })).outcome).toBe('404 NOT_FOUND');
    expect((await api.call('getWebhook', { params })).outcome).toBe('404 NOT_FOUND');
    expect((await api.call('listDeliveries', { params })).outcome).toBe('404 NOT_FOUND');
    const { data: page } = await api.call('listWebhooks', { query: { limit: 100 } });
    expect(page.items.map(({ id }) => id)).not.toContain(data.id);
  });

  it('an inactive webhook refuses tests and replays', async () => {
    const { data } = await create({ isActive: false });
    const answer = await api.call('testWebhook', { params: { id: data.id } });
    expect(answer.outcome).toBe('400 VALIDATION_FAILED');
  });
});
