import { describe, expect, it } from 'vitest';
import { startForFile } from './start-server.js';

const api = await startForFile();

const targetUrl = 'https://example.com/';
const links = (count: number) => Array.from({ length: count }, () => ({ targetUrl }));
const bulkCreate = (urls: unknown) => api.call('bulkCreateUrls', { body: { urls } });
const bulkUpdate = (updates: unknown) => api.call('bulkUpdateUrls', { body: { updates } });

async function create(body: object = {}): Promise<string> {
  return (await api.createLink(body)).id;
}

describe('POST /api/v1/urls/bulk', () => {
  it('creates up to 100 items in one request', async () => {
    const response = await bulkCreate(links(100));
    expect(response.status).toBe(201);
    const { data } = response;
    expect(data).toMatchObject({ requested: 100, createdCount: 100, failedCount: 0, errors: [] });
    expect(data.created.map(({ index }) => index)).toEqual(links(100).map((_, index) => index));
    expect(new Set(data.created.map(({ shortCode }) => shortCode)).size).toBe(100);
  });

  it('returns { index, id, shortCode, targetUrl, customSlug, shortUrl, externalId } of each created item', async () => {
    const { data } = await bulkCreate([{ targetUrl, customSlug: 'in-bulk' }]);
    expect(data.created).toEqual([
      {
        index: 0,
        id: expect.stringMatching(/^\d+$/),
        shortCode: expect.stringMatching(/^[A-Za-z0-9]{7}$/),
        targetUrl,
        customSlug: 'in-bulk',
        shortUrl: `${api.server.url}/in-bulk`,
        externalId: null,
      },
    ]);
  });

  it('reports failures per item; successful items are not rolled back', async () => {
    await create({ customSlug: 'taken-slug' });
    const response = await bulkCreate([
      { targetUrl, customSlug: 'taken-slug' },
      { targetUrl },
      { targetUrl: 'ftp://example.com/' },
      { targetUrl, customSlug: 'admin' },
      { targetUrl, domainId: '00000000-0000-4000-8000-000000000000' },
      null,
      'text',
      7,
      [],
      { targetUrl, customSlug: 'still-made' },
    ]);
    expect(response.status).toBe(201);
    const { data } = response;
    expect(data).toMatchObject({ requested: 10, createdCount: 2, failedCount: 8 });
    expect(data.created.map(({ index }) => index)).toEqual([1, 9]);
    expect(data.errors.map(({ index, code }) => [index, code])).toEqual([
      [0, 'SLUG_CONFLICT'],
      [2, 'CREATE_FAILED'],
      [3, 'CREATE_FAILED'],
      [4, 'DOMAIN_INVALID'],
      [5, 'CREATE_FAILED'],
      [6, 'CREATE_FAILED'],
      [7, 'CREATE_FAILED'],
      [8, 'CREATE_FAILED'],
    ]);
    for (const created of data.created) {
      const { status } = await api.visit(`/${created.customSlug ?? created.shortCode}`);
      expect(status).toBe(307);
    }
  });

  it('1. responds with 207 when every item fails', async () => {
    const response = await bulkCreate([{ targetUrl: 'nowhere' }, { targetUrl, customSlug: 'no' }]);
    expect(response.status).toBe(207);
    expect(response.data).toMatchObject({ requested: 2, createdCount: 0, failedCount: 2 });
  });

  it('creates the first of two items with the same slug', async () => {
    const slugs = ['twin-slug', 'other-slug', 'twin-slug', 'Twin-Slug'];
    const { data } = await bulkCreate(slugs.map((customSlug) => ({ targetUrl, customSlug })));
    expect(data.created.map(({ index }) => index)).toEqual([0, 1, 3]);
    expect(data.errors).toMatchObject([{ index: 2, code: 'SLUG_CONFLICT' }]);
  });

  it('creates paused links, which do not count towards the bundle of links', async () => {
    const free = await api.newcomer('free');
    const paused = links(60).map((link) => ({ ...link, isActive: false }));
    const { data } = await free.call('bulkCreateUrls', {
      body: { urls: [...paused, ...links(40)] },
    });
    expect(data.createdCount).toBe(100);
    expect((await free.call('getUsage')).data.links).toEqual({ used: 40, included: 50 });
    const inactive = await free.call('listUrls', { query: { isActive: false } });
    expect(inactive.data.total).toBe(60);
  });
});

describe('PATCH /api/v1/urls/bulk', () => {
  it('changes up to 100 items, ids as numbers or as strings', async () => {
    const created = (await bulkCreate(links(100))).data.created;
    const updates = created.map(({ id }, index) => ({
      id: index % 2 === 0 ? id : Number(id),
      title: `number ${index}`,
    }));
    const response = await bulkUpdate(updates);
    expect(response.status).toBe(200);
    expect(response.data).toMatchObject({ requested: 100, updatedCount: 100, failedCount: 0 });
    const last = created[99]?.id as string;
    const data = await api.getLink(last);
    expect(data.title).toBe('number 99');
  });

  it('reports NOT_FOUND for unknown ids, and UPDATE_FAILED for other errors', async () => {
    const id = await create();
    const response = await bulkUpdate([
      { id, title: 'Changed' },
      { id: 999_999_999, title: 'x' },
      { id, targetUrl: 'nowhere' },
      { title: 'no id' },
      { id: '1e3' },
      { id: 1.5 },
      null,
    ]);
    expect(response.status).toBe(200);
    expect(response.data.updated.map(({ index }) => index)).toEqual([0]);
    expect(response.data.errors.map(({ index, id, code }) => [index, id, code])).toEqual([
      [1, '999999999', 'NOT_FOUND'],
      [2, id, 'UPDATE_FAILED'],
      [3, null, 'UPDATE_FAILED'],
      [4, '1e3', 'UPDATE_FAILED'],
      [5, '1.5', 'UPDATE_FAILED'],
      [6, null, 'UPDATE_FAILED'],
    ]);
  });

  it('applies the changes of one link in their order', async () => {
    const id = await create();
    const steps = [{ isActive: false }, { title: 'Paused' }, { expiresAt: '2020-01-01' }];
    const changes = [...steps, { isActive: true, title: 'Back' }].map((step) => ({ id, ...step }));
    const { data } = await bulkUpdate(changes);
    expect(data.updated.map(({ index, isActive }) => [index, isActive])).toEqual([
      [0, false],
      [1, false],
      [3, true],
    ]);
    expect(data.errors).toMatchObject([{ index: 2, code: 'UPDATE_FAILED' }]);
    const link = await api.getLink(id);
    expect(link).toMatchObject({ isActive: true, title: 'Back', expiresAt: null });
  });

  it('counts links towards the bundle in the order of the changes', async () => {
    const free = await api.newcomer('free');
    const urls = [...links(50), { targetUrl, isActive: false }];
    const { created } = (await free.call('bulkCreateUrls', { body: { urls } })).data;
    const [first, last] = [created[0]?.id as string, created[50]?.id as string];
    const activate = { id: last, isActive: true };
    const updates = [activate, { id: first, isActive: false }, activate];
    const { data } = await free.call('bulkUpdateUrls', { body: { updates } });
    expect(data.updated.map(({ index }) => index)).toEqual([1, 2]);
    expect(data.errors).toMatchObject([{ index: 0, code: 'UPDATE_FAILED' }]);
    expect((await free.call('getUsage')).data.links).toEqual({ used: 50, included: 50 });
  });

  it('responds with 207 when every item fails', async () => {
    const response = await bulkUpdate([{ id: 999_999_999, title: 'x' }]);
    expect(response.status).toBe(207);
    expect(response.data).toMatchObject({ requested: 1, updatedCount: 0, failedCount: 1 });
  });
});

describe('DELETE /api/v1/urls/bulk', () => {
  const remove = (ids: readonly unknown[]) => api.call('bulkDeleteUrls', { body: { ids } });

  it('accepts ids as a comma-separated query', async () => {
    const ids = [await create(), await create()];
    const query = { ids: [...ids, '', '007'].join() };
    const response = await api.call('bulkDeleteUrls', { query });
    expect(response.status).toBe(200);
    expect(response.data).toEqual({
      requested: 4,
      deletedCount: 2,
      skippedCount: 2,
      deletedIds: ids,
      skippedIds: ['', '007'],
    });
  });

  it('2. skips unknown ids and elements of any type, and repeats at most 100 characters of each', async () => {
    const id = await create();
    const long = 'x'.repeat(200);
    const ids = ['999999999', 2.5, true, null, { id: 1 }, [Number(id)], long, Number(id), id];
    const { status, data } = await remove(ids);
    expect(status).toBe(200);
    expect(data).toEqual({
      requested: 8,
      deletedCount: 1,
      skippedCount: 7,
      deletedIds: [id],
      skippedIds: [
        '999999999',
        '2.5',
        'true',
        'null',
        '{"id":1}',
        `[${id}]`,
        `${'x'.repeat(100)}…`,
      ],
    });
  });

  it('accepts an empty list, and refuses what is no list', async () => {
    expect((await remove([])).data).toMatchObject({ requested: 0, deletedIds: [] });
    for (const ids of ['1188', 7, null, { 0: 1 }]) {
      const response = await api.call('bulkDeleteUrls', { body: { ids } });
      expect(response.invalidFields).toEqual(['ids']);
    }
  });

  it('refuses ids in both places, and a request without ids', async () => {
    const both = await api.call('bulkDeleteUrls', { query: { ids: '1' }, body: { ids: [1] } });
    expect(both.invalidFields).toEqual(['ids']);
    const none = await api.call('bulkDeleteUrls');
    expect(none.invalidFields).toEqual(['ids']);
  });
});
