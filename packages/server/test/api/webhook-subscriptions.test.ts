import { describe, expect, it } from 'vitest';
import { receiver } from '../webhooks/receiver.js';
import { startForFile } from './start-server.js';

const api = await startForFile({ allowPrivateNetwork: true });

const url = 'https://receiver.example/hook';
const create = (body: object = {}) =>
  api.call('createWebhook', { body: { url, events: ['url.created'], ...body } });
const read = async (id: string) => (await api.call('getWebhook', { params: { id } })).data;
const update = (id: string, body: object) => api.call('updateWebhook', { params: { id }, body });
const createUrl = api.createLink;
const remove = (id: string) => api.call('deleteWebhook', { params: { id } });

describe('description, filters and headers of a webhook', () => {
  it('are stored, changed and cleared; no response contains the values of headers', async () => {
    const [one, two] = [await createUrl(), await createUrl()];
    const headers = { Authorization: 'Bearer hidden-1', 'X-Tenant': 'hidden-2' };
    const created = await create({
      description: 'The\nCRM',
      filters: { tags: ['a', 'b', 'a'], urlIds: [one.id, Number(one.id), two.id] },
      headers,
    });
    const { id } = created.data;
    const settings = {
      description: 'The CRM',
      filters: { tags: ['a', 'b'], urlIds: [one.id, two.id] },
      headerNames: ['Authorization', 'X-Tenant'],
    };
    expect(await read(id)).toMatchObject(settings);
    const changed = await update(id, {
      filters: { tags: ['c'], urlIds: null },
      headers: { 'X-A': 'hidden-3' },
    });
    expect(changed.data).toMatchObject({
      description: 'The CRM',
      filters: { tags: ['c'] },
      headerNames: ['X-A'],
    });
    const cleared = await update(id, { description: null, filters: null, headers: null });
    expect(cleared.data).toMatchObject({ description: null, filters: null, headerNames: [] });
    expect((await update(id, { filters: {}, headers: {} })).data).toEqual({
      ...cleared.data,
      updatedAt: expect.any(String),
    });
    const list = await api.call('listWebhooks');
    for (const { text } of [created, changed, cleared, list, await remove(id)]) {
      expect(text).not.toContain('hidden-');
    }
  });

  const long = 'x'.repeat(2048);
  it.each<[object, string]>([
    [{ description: 'a\u202eb' }, 'description'],
    [{ filters: { tag: ['a'] } }, 'filters.tag'],
    [{ filters: { domainIds: ['go.example.com'] } }, 'filters.domainIds[0]'],
    [{ filters: { urlIds: [999_999] } }, 'filters.urlIds[0]'],
    [{ filters: { domainIds: ['0198C0DE-0000-7000-8000-0000000000AA'] } }, 'filters.domainIds[0]'],
    [{ headers: { 'X A': 'b' } }, 'headers.X A'],
    [{ headers: { 'X-A': 'b\r\nX-B: c' } }, 'headers.X-A'],
    [{ headers: { 'X-A': long, 'X-B': long } }, 'headers'],
    [{ headers: { 'X-A': 'b', 'x-a': 'c' } }, 'headers'],
    [{ headers: { Host: 'b' } }, 'headers.Host'],
    [{ headers: { 'X-Service-Signature': 'b' } }, 'headers.X-Service-Signature'],
    [{ headers: { 'webhook-id': 'b' } }, 'headers.webhook-id'],
  ])('are refused with the name of the field (%#)', async (body, field) => {
    const answer = await create(body);
    expect(answer.outcome).toBe('400 VALIDATION_FAILED');
    expect(answer.invalidFields).toEqual([field]);
  });

  it('headers must be sent again with a URL of another origin, because they are its secrets', async () => {
    const { data } = await create({ headers: { 'X-A': 'b' } });
    const away = 'https://elsewhere.example/';
    const refused = await update(data.id, { url: away });
    expect(refused.outcome).toBe('400 VALIDATION_FAILED');
    expect(refused.invalidFields).toEqual(['headers']);
    expect((await update(data.id, { url: `${url}/2` })).data.headerNames).toEqual(['X-A']);
    expect((await update(data.id, { url: away, headers: null })).data).toMatchObject({
      url: away,
      headerNames: [],
    });
    expect((await update(data.id, { url })).status).toBe(200);
    await remove(data.id);
  });

  it('so must headers that cannot be decrypted now, because their key may come back', async () => {
    const { data } = await create({ headers: { 'X-A': 'b' } });
    await api.server.database.writeDirectly((transaction) =>
      transaction.updateTable('webhooks').set({ headers: 'enc:000000000000:AAAA' }).execute(),
    );
    const refused = await update(data.id, { url: 'https://elsewhere.example/' });
    expect(refused.invalidFields).toEqual(['headers']);
    await remove(data.id);
  });
});

describe('a delivery', () => {
  it('has the further headers of its webhook beside those of the server', async () => {
    const hook = await receiver();
    const { data } = await create({
      url: hook.url,
      headers: { authorization: 'Bearer 1', Accept: 'a/b' },
    });
    await createUrl();
    await hook.arrived(1);
    expect(hook.received[0]?.headers).toMatchObject({
      authorization: 'Bearer 1',
      accept: 'a/b',
      'content-type': 'application/json; charset=utf-8',
      'x-service-event': 'url.created',
    });
    await remove(data.id);
  });

  it('of a test is marked as one', async () => {
    const hook = await receiver();
    const { data } = await create({ url: hook.url });
    await api.call('testWebhook', { params: { id: data.id } });
    await hook.arrived(1);
    expect(JSON.parse(hook.received[0]?.body ?? '')).toMatchObject({ test: true });
    await remove(data.id);
  });

  it('comes only for links that match all filters at the time of the event', async () => {
    const hook = await receiver();
    const { data: tagged } = await create({
      url: `${hook.url}/tagged`,
      events: ['*'],
      filters: { tags: ['spring', 'summer'] },
    });
    const one = await createUrl({ tags: ['spring', 'mail'] });
    const two = await createUrl({ tags: ['springtime'] });
    const { data: byLink } = await create({
      url: `${hook.url}/link`,
      events: ['*'],
      filters: { urlIds: [two.id] },
    });
    await api.call('bulkUpdateUrls', {
      body: { updates: [one, two].map(({ id }) => ({ id, title: 'New' })) },
    });
    await api.call('createQr', { body: { urlId: two.id } });
    await api.call('createQr', { body: { urlId: one.id } });
    await api.call('createQr', { body: { data: 'alone' } });
    await api.call('updateUrl', { params: { id: one.id }, body: { tags: [] } });
    await api.call('updateUrl', { params: { id: one.id }, body: { title: 'Newer' } });
    // The last event for each webhook.
    await api.call('updateUrl', { params: { id: two.id }, body: { tags: ['summer'] } });
    await expect.poll(() => hook.received.length).toBe(7);
    const arrived = (path: string) =>
      hook.received
        .filter((got) => got.path === path)
        .map(({ event }) => event.type)
        .sort();
    expect(arrived('/tagged')).toEqual(['qr.created', 'url.created', 'url.updated', 'url.updated']);
    expect(arrived('/link')).toEqual(['qr.created', 'url.updated', 'url.updated']);
    for (const { id } of [tagged, byLink]) await remove(id);
  });
});
