import { describe, expect, it } from 'vitest';
import { startForFile } from './start-server.js';

const expiredUrl = 'https://example.com/over';
const person = 'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0';
const previewer = 'Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)';

const api = await startForFile();

const create = api.createLink;
const get = api.getLink;
const patch = (id: string, body: object) => api.call('updateUrl', { params: { id }, body });

async function visit(path: string, { agent = person, method = 'GET' } = {}): Promise<number> {
  return (await api.visit(`/${path}`, { method, headers: { 'user-agent': agent } })).status;
}

/** Visits a link at once, and returns how many visits were redirected. */
async function visitAtOnce(path: string, count: number): Promise<number> {
  const statuses = await Promise.all(Array.from({ length: count }, () => visit(path)));
  expect(new Set(statuses.filter((status) => status !== 307))).toEqual(
    new Set(statuses.includes(410) ? [410] : []),
  );
  return statuses.filter((status) => status === 307).length;
}

const clicksStored = (id: string, clickCount: number) =>
  expect.poll(async () => (await get(id)).clickCount).toBe(clickCount);

describe('maxClicks', () => {
  it.each([1, 20, 63])(
    'redirects exactly %i of 64 visitors who come at once',
    async (maxClicks) => {
      const { id, shortCode } = await create({ maxClicks });
      expect(await get(id)).toMatchObject({ maxClicks, clicksLeft: maxClicks });
      expect(await visitAtOnce(shortCode, 64)).toBe(maxClicks);
      await clicksStored(id, maxClicks);
      expect(await get(id)).toMatchObject({ clicksLeft: 0, isActive: true });
      expect(await visit(shortCode)).toBe(410);
    },
  );

  it('sends visitors to expiredUrl afterwards, uncounted', async () => {
    const { id, shortCode } = await create({ maxClicks: 2, expiredUrl, redirectType: 301 });
    for (const _ of [1, 2]) {
      const response = await api.visit(`/${shortCode}`, { headers: { 'user-agent': person } });
      expect([response.status, response.headers.get('cache-control')]).toEqual([301, 'no-store']);
    }
    for (const agent of [person, previewer]) {
      const over = await api.visit(`/${shortCode}`, { headers: { 'user-agent': agent } });
      expect([over.status, over.headers.get('location')]).toEqual([302, expiredUrl]);
    }
    await clicksStored(id, 2);
  });

  it('is not used by link previews, HEAD requests and prefetches', async () => {
    const { id, shortCode } = await create({ maxClicks: 1 });
    for (let time = 0; time < 3; time += 1) {
      expect(await visit(shortCode, { agent: previewer })).toBe(307);
      expect(await visit(shortCode, { method: 'HEAD' })).toBe(307);
      const headers = { 'user-agent': person, 'sec-purpose': 'prefetch' };
      expect((await api.visit(`/${shortCode}`, { headers })).status).toBe(307);
    }
    expect(await visit(shortCode)).toBe(307);
    expect(await visit(shortCode)).toBe(410);
    await clicksStored(id, 1);
  });

  it('is not used by a wrong password', async () => {
    const { shortCode } = await create({
      maxClicks: 1,
      isPasswordProtected: true,
      password: 'sesame',
    });
    const unlock = async (password: string) => {
      const response = await api.visit(`/${shortCode}`, {
        method: 'POST',
        headers: { 'user-agent': person },
        body: new URLSearchParams({ password }),
      });
      return response.status;
    };
    expect(await visit(shortCode)).toBe(200);
    expect([await unlock('wrong'), await unlock('sesame')]).toEqual([401, 303]);
    expect([await unlock('sesame'), await visit(shortCode)]).toEqual([410, 410]);
  });

  it('can be raised, lowered and removed while visitors come', async () => {
    const { id, shortCode } = await create({ maxClicks: 40 });
    expect(await visitAtOnce(shortCode, 10)).toBe(10);
    expect((await patch(id, { maxClicks: 12 })).data.maxClicks).toBe(12);
    expect(await visitAtOnce(shortCode, 10)).toBe(2);
    await patch(id, { maxClicks: 5 });
    expect(await visitAtOnce(shortCode, 3)).toBe(0);
    await patch(id, { maxClicks: 15 });
    expect(await visitAtOnce(shortCode, 10)).toBe(3);
    await patch(id, { maxClicks: null });
    expect(await visitAtOnce(shortCode, 5)).toBe(5);
    await clicksStored(id, 20);
    expect((await get(id)).clicksLeft).toBeNull();
    expect((await patch(id, { maxClicks: 21 })).data.clicksLeft).toBe(1);
    expect(await visitAtOnce(shortCode, 3)).toBe(1);
  });

  it('counts clicks that were erased', async () => {
    const { id, shortCode } = await create({ maxClicks: 3 });
    expect(await visitAtOnce(shortCode, 2)).toBe(2);
    await clicksStored(id, 2);
    api.clock.advance(1);
    expect((await api.call('eraseUrlVisits', { params: { id } })).status).toBe(200);
    expect(await get(id)).toMatchObject({ clickCount: 0, clicksLeft: 1 });
    api.clock.advance(1);
    expect(await visitAtOnce(shortCode, 3)).toBe(1);
    await clicksStored(id, 1);
    expect((await get(id)).clicksLeft).toBe(0);
  });

  it('does not give out again a click whose visit a kill has lost', async () => {
    const { id, shortCode } = await create({ maxClicks: 3 });
    await api.server.database.writeDirectly((transaction) =>
      transaction
        .insertInto('used_clicks')
        .values({ url_id: Number(id), clicks: 1 })
        .execute(),
    );
    expect(await visitAtOnce(shortCode, 4)).toBe(2);
    await clicksStored(id, 2);
    expect((await get(id)).clicksLeft).toBe(0);
  });
});
