import { expect, it } from 'vitest';
import { startForFile } from './start-server.js';

const api = await startForFile();

const uuid = '0192f0c1-2b7d-7c3e-9a51-3f1d2b6c8e47';
const named = (kind: string, name: string) =>
  `404 There is no ${kind} "${name}" in this organization`;

it('NOT_FOUND names the kind and the id or name that was asked for', async () => {
  const message = async (response: Promise<{ status: number; error: { message: string } }>) => {
    const { status, error } = await response;
    return `${status} ${error.message}`;
  };
  const url = named('URL', '4242');
  const params = { id: '4242' };
  expect(await message(api.call('getUrl', { params }))).toBe(url);
  expect(await message(api.call('createQr', { body: { urlId: 4242 } }))).toBe(url);
  const lookup = (shortUrl: string) => message(api.call('lookupUrl', { query: { shortUrl } }));
  expect(await lookup('autumn-sale')).toBe(named('URL', 'autumn-sale'));
  expect(await lookup('https://elsewhere.example/autumn')).toBe(
    named('URL', 'https://elsewhere.example/autumn'),
  );
  const updates = [{ id: 4242, title: 'x' }];
  const { errors } = (await api.call('bulkUpdateUrls', { body: { updates } })).data;
  expect(errors).toMatchObject([
    { index: 0, id: '4242', code: 'NOT_FOUND', error: url.replace('404 ', '') },
  ]);

  for (const [id, kind] of [
    ['getQr', 'QR code'],
    ['getWebhook', 'webhook'],
    ['getDomain', 'domain'],
  ] as const) {
    expect(await message(api.call(id, { params: { id: uuid } }))).toBe(named(kind, uuid));
  }
  expect(await message(api.call('deleteTag', { params: { tag: 'autumn' } }))).toBe(
    named('tag', 'autumn'),
  );
  const webhook = await api.call('createWebhook', {
    body: { url: 'https://receiver.example/', events: ['url.created'] },
  });
  const delivery = { id: webhook.data.id, deliveryId: uuid };
  expect(await message(api.call('getDelivery', { params: delivery }))).toBe(
    named('delivery', uuid),
  );
});
