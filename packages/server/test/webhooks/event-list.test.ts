import { describe, expect, it } from 'vitest';
import { pruneDeliveries } from '../../src/webhooks/delivery-pruner.js';
import { maxWaitingOfOrganization } from '../../src/webhooks/event-list.js';
import { type Caller, startForFile, startServer } from '../api/start-server.js';

const api = await startForFile();

const createUrl = async (caller: Caller, title = 'x') => {
  const body = { targetUrl: 'https://example.com/', title };
  return await caller.createLink(body);
};
const list = async (caller: Caller, query: Record<string, string> = {}) =>
  caller.call('listEvents', { query });
const newOwner = async () => api.newcomer('scale');

/** Sends one more request than may wait. Resolves when it is refused, so that the others wait. */
async function hold(owner: Caller) {
  const requests = Array.from({ length: maxWaitingOfOrganization + 1 }, () =>
    list(owner, { after: 'latest', wait: '25' }),
  );
  const refused = await Promise.race(requests);
  const answers = Promise.all(requests).then((all) => all.filter((each) => each !== refused));
  return { refused, answers };
}

describe('GET /api/v1/events', () => {
  it('lists the events of the organization without a webhook, oldest first, page by page', async () => {
    const [owner, other] = [await newOwner(), await newOwner()];
    const [one, two] = [await createUrl(owner), await createUrl(owner)];
    await createUrl(other);
    await owner.call('updateUrl', { params: { id: one.id }, body: { title: 'y' } });
    const first = (await list(owner, { limit: '2' })).data;
    expect(first.items).toMatchObject([
      { type: 'url.created', data: { id: one.id, title: 'x' } },
      { type: 'url.created', data: { id: two.id } },
    ]);
    const rest = (await list(owner, { after: first.nextAfter })).data;
    expect(rest.items).toMatchObject([{ type: 'url.updated', data: { title: 'y' } }]);
    const end = (await list(owner, { after: rest.nextAfter })).data;
    expect(end).toEqual({ items: [], nextAfter: rest.nextAfter });
    expect((await list(owner, { after: 'latest' })).data).toEqual(end);
    const updates = (await list(owner, { type: 'url.updated' })).data;
    expect(updates).toEqual({ items: rest.items, nextAfter: rest.nextAfter });
    const ahead = await list(other, { after: end.nextAfter });
    expect(ahead.invalidFields).toEqual(['after']);
    expect((await list(owner, { after: 'x', wait: '26' })).invalidFields.sort()).toEqual(['wait']);
  });

  it('does not list test events', async () => {
    const owner = await newOwner();
    const body = { url: 'https://receiver.example/', events: ['url.created'] };
    const { id } = (await owner.call('createWebhook', { body })).data;
    await owner.call('testWebhook', { params: { id } });
    expect((await list(owner)).data.items).toEqual([]);
  });

  it('is not part of the Free plan', async () => {
    const free = await api.newcomer('free');
    expect((await list(free)).error?.code).toBe('PLAN_REQUIRED');
  });

  it('holds a request until an event of its type comes', async () => {
    const owner = await newOwner();
    const url = await createUrl(owner);
    const waiting = list(owner, { after: 'latest', wait: '25', type: 'url.deleted' });
    await createUrl(owner);
    await owner.call('deleteUrl', { params: { id: url.id } });
    expect((await waiting).data.items).toMatchObject([
      { type: 'url.deleted', data: { id: url.id } },
    ]);
    const startedAt = performance.now();
    expect((await list(owner, { after: 'latest', wait: '1' })).data.items).toEqual([]);
    expect(performance.now() - startedAt).toBeGreaterThan(900);
  });

  it(`holds at most ${maxWaitingOfOrganization} requests of an organization`, async () => {
    const [owner, other] = [await newOwner(), await newOwner()];
    const { refused, answers } = await hold(owner);
    expect([refused.outcome, refused.headers.get('retry-after')]).toEqual([
      '429 RATE_LIMITED',
      '5',
    ]);
    expect((await list(other, { wait: '1' })).status).toBe(200);
    await createUrl(owner);
    for (const each of await answers) expect(each.data.items).toHaveLength(1);
  });

  it('answers the requests that wait when the server stops', async () => {
    const own = await startServer();
    const { answers } = await hold(own);
    const startedAt = performance.now();
    await own.stop();
    for (const each of await answers) expect(each.data.items).toEqual([]);
    expect(performance.now() - startedAt).toBeLessThan(10_000);
  });

  it('lists events for 30 days, and continues after those that are removed', async () => {
    const owner = await newOwner();
    await createUrl(owner);
    const { nextAfter } = (await list(owner)).data;
    const day = 24 * 60 * 60 * 1000;
    await pruneDeliveries(api.server.database, api.clock() + 30 * day);
    expect((await list(owner)).data.items).toHaveLength(1);
    await pruneDeliveries(api.server.database, api.clock() + 30 * day + 1);
    expect((await list(owner)).data).toEqual({ items: [], nextAfter });
    const url = await createUrl(owner);
    expect((await list(owner, { after: nextAfter })).data.items).toMatchObject([
      { data: { id: url.id } },
    ]);
  });
});
