import { describe, expect, it } from 'vitest';
import { startForFile } from './start-server.js';

const ids: string[] = [];
const api = await startForFile();
const caller = await api.newcomer('enterprise');
const body = { targetUrl: 'https://example.com/' };
const urlId = (await caller.createLink(body)).id;
for (let made = 0; made < 30; made += 1) {
  const body = made % 3 === 0 ? { urlId } : { data: `code ${made}` };
  ids.unshift((await caller.call('createQr', { body: { ...body, size: 200 } })).data.id);
  if (made % 2 === 0) api.clock.advance(1);
}

const list = (query: Record<string, string | number | boolean> = {}) =>
  caller.call('listQrs', { query });

describe('GET /api/v1/qr', () => {
  it('has limit 25 and offset 0 by default, newest first', async () => {
    const { data } = await list();
    expect(data).toMatchObject({ total: 30, limit: 25, offset: 0 });
    expect(data.items.map(({ id }) => id)).toEqual(ids.slice(0, 25));
    const rest = await list({ limit: 100, offset: 25 });
    expect(rest.data.items.map(({ id }) => id)).toEqual(ids.slice(25));
  });

  it('returns complete records', async () => {
    const { data } = await list({ limit: 1 });
    const one = await caller.call('getQr', { params: { id: ids[0] as string } });
    expect(data.items[0]).toEqual(one.data);
  });

  it('urlId selects the codes of one URL', async () => {
    const { data } = await list({ urlId });
    expect(data.total).toBe(10);
    expect(data.items.every((item) => item.urlId === urlId)).toBe(true);
  });

  it('standalone=true selects codes without a URL, false the others', async () => {
    const standalone = (await list({ standalone: true })).data;
    expect(standalone.total).toBe(20);
    expect(standalone.items.every((item) => item.urlId === null)).toBe(true);
    expect((await list({ standalone: false })).data.total).toBe(10);
    expect((await list({ standalone: true, urlId })).data.total).toBe(0);
  });
});

it('GET /api/v1/urls/{id}/qr returns the same as a list with this urlId', async () => {
  const query = { limit: 4, offset: 3 };
  const response = await caller.call('listUrlQrs', { params: { id: urlId }, query });
  expect(response.data).toEqual((await list({ ...query, urlId })).data);
});

it('GET /api/v1/qr/{id} accepts an id in upper and lower case', async () => {
  const id = (ids[0] as string).toUpperCase();
  expect((await caller.call('getQr', { params: { id } })).data.id).toBe(ids[0]);
});
