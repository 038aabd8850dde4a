import { afterEach, beforeEach, expect, it } from 'vitest';
import { startVisitedServer, type VisitedServer } from './visited-server.js';

let api: VisitedServer;
beforeEach(async () => {
  api = await startVisitedServer({ thresholds: [2, 6] });
  const events = ['url.click_threshold', 'qr.scan_threshold'];
  const body = { url: 'https://receiver.example/', events };
  await api.call('createWebhook', { body: { ...body, isActive: true } });
});
afterEach(() => api.stop());

/** Makes visits one after another, so that each threshold is reached by its own count. */
async function visit(shortCode: string, count: number): Promise<void> {
  for (let made = 0; made < count; made += 1) {
    await api.visitAs(shortCode);
    await api.settle();
  }
}

async function eventsOf(type: string) {
  const { database } = api.server;
  const events = database.read.selectFrom('events').select('body').where('type', '=', type);
  return (await events.orderBy('id').execute()).map(({ body }) => JSON.parse(body).data);
}

async function reached(urlId: string): Promise<number[]> {
  const own = (await eventsOf('url.click_threshold')).filter(({ id }) => id === urlId);
  return own.map(({ threshold, count }) => {
    expect(count).toBe(threshold);
    return threshold;
  });
}

it('a link has one event at each of the thresholds', async () => {
  const { id, shortCode } = await api.createLink();
  await visit(shortCode, 7);
  expect(await reached(id)).toEqual([2, 6]);
});

it('each QR code of a link has events at the thresholds', async () => {
  const { id: urlId, shortCode } = await api.createLink({ customSlug: 'menu' });
  const create = async () => (await api.call('createQr', { body: { urlId } })).data.id;
  const deleted = await create();
  await api.call('deleteQr', { params: { id: deleted } });
  const codes = [await create(), await create()];
  await visit('menu', 2);
  await visit(shortCode, 3);
  const data = await eventsOf('qr.scan_threshold');
  const expected = codes.map((id) => ({ id, shortCode, threshold: 2, count: 2 }));
  expect(data).toHaveLength(expected.length);
  expect(data).toEqual(expect.arrayContaining(expected));
});
