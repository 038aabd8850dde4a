import { beforeAll, describe, expect, it } from 'vitest';
import { urlRecord } from '../../src/urls/url-schemas.js';
import { type Caller, startForFile } from './start-server.js';

const api = await startForFile();

async function create(caller: Caller, body: object = {}): Promise<string> {
  const response = await caller.call('createUrl', {
    body: { targetUrl: 'https://example.com/', ...body },
  });
  return response.data.id;
}

describe('GET /api/v1/urls', () => {
  it('returns { total, limit, offset, items, nextAfter } with id, shortCode, customSlug, shortUrl, targetUrl, isActive', async () => {
    const caller = await api.newcomer('enterprise');
    const id = await create(caller, { customSlug: 'listed-one' });
    const { data } = await caller.call('listUrls');
    expect(data).toEqual({
      total: 1,
      limit: 25,
      offset: 0,
      items: [
        {
          id,
          shortCode: expect.stringMatching(/^[A-Za-z0-9]{7}$/),
          customSlug: 'listed-one',
          shortUrl: `${api.server.url}/listed-one`,
          targetUrl: 'https://example.com/',
          isActive: true,
        },
      ],
      nextAfter: null,
    });
  });

  it('returns full records with view=full', async () => {
    const caller = await api.newcomer('enterprise');
    const body = { title: 'Full', tags: ['a'], isPasswordProtected: true, password: 'open sesame' };
    const ids = [await create(caller), await create(caller, body)].reverse();
    const records = await Promise.all(ids.map((id) => caller.getLink(id)));
    const full = await caller.call('listUrls', { query: { view: 'full' } });
    expect(full.data.items).toEqual(records);
    // The columns that users see.
    expect(Object.keys(records[0] as object)).toEqual(Object.keys(urlRecord.shape));
    expect(full.text).not.toContain('sesame');
    const summary = await caller.call('listUrls', { query: { view: 'summary' } });
    expect(summary.data).toEqual((await caller.call('listUrls')).data);
  });

  it('sorts from the largest value, or from the smallest', async () => {
    const caller = await api.newcomer('enterprise');
    const titles = ['Pear', 'apple', null, 'Äpfel', 'Apple 2'];
    const ids: string[] = [];
    for (const title of titles) ids.push(await create(caller, { title }));
    const list = async (query: Record<string, string>) => {
      const { data } = await caller.call('listUrls', { query });
      return data.items.map(({ id }) => titles[ids.indexOf(id)]);
    };
    expect(await list({ order: 'asc' })).toEqual(titles);
    expect(await list({ sort: 'createdAt' })).toEqual([...titles].reverse());
  });

  it('refuses a deep offset unless links are sorted by createdAt', async () => {
    const query = { sort: 'clickCount', offset: 10_001 };
    const response = await api.call('listUrls', { query });
    expect(response.outcome).toBe('400 VALIDATION_FAILED');
    expect(response.invalidFields).toEqual(['offset']);
    expect((await api.call('listUrls', { query: { ...query, offset: 10_000 } })).status).toBe(200);
  });

  it('refuses a repeated parameter', async () => {
    const response = await api.send('GET', '/api/v1/urls?limit=5&limit=6');
    expect(response.outcome).toBe('400 VALIDATION_FAILED');
    expect(response.invalidFields).toEqual(['limit']);
  });
});

describe('filters of GET /api/v1/urls', () => {
  let caller: Caller;
  beforeAll(async () => {
    caller = await api.newcomer('enterprise');
    await create(caller, { title: 'Spring SALE', tags: ['launch', 'mail'], category: 'campaigns' });
    const description = 'A long-form note';
    await create(caller, {
      title: '100% off_all',
      description,
      tags: ['Launch'],
      customSlug: 'Half-Price',
    });
    await create(caller, { targetUrl: 'https://example.com/ÄPFEL', tags: ['laun', 'a%b', 'a_b'] });
    const paused = await create(caller, { title: 'Paused' });
    await caller.call('deleteUrl', { params: { id: paused } });
  });

  const count = async (query: Record<string, string | boolean>) => {
    const { data } = await caller.call('listUrls', { query });
    expect(data.items).toHaveLength(data.total);
    return data.total;
  };

  it.each([
    [{ isActive: true }, 3],
    [{ category: 'campaigns' }, 1],
    [{ search: 'sale' }, 1],
    [{ search: 'äpfel' }, 1],
    [{ search: '%' }, 2],
    [{ search: 'mail launch' }, 0],
    [{ targetUrl: 'https://example.com/ÄPFEL' }, 1],
    [{ targetUrl: 'https://example.com/äpfel' }, 0],
    [{ targetUrl: 'https://example.com/', tag: 'launch', search: 'spring' }, 1],
    [{ tag: 'launch' }, 1],
    [{ tag: 'LAUNCH' }, 0],
    [{ tag: 'a%b' }, 1],
    [{ tag: 'launch', search: 'sale', isActive: true }, 1],
  ])('%j finds %i', async (query, expected) => {
    expect(await count(query)).toBe(expected);
  });

  it('createdSince includes its instant, and createdUntil does not', async () => {
    const mine = await api.newcomer('enterprise');
    const instants: string[] = [];
    for (let at = 0; at < 3; at += 1) {
      instants.push(new Date(api.clock()).toISOString());
      await create(mine, { title: `Number ${at}` });
      api.clock.advance(1);
    }
    const [first = '', second = '', third = ''] = instants;
    const total = async (query: Record<string, string>) =>
      (await mine.call('listUrls', { query })).data.total;
    expect(await total({ createdSince: second })).toBe(2);
    expect(await total({ createdUntil: second })).toBe(1);
    expect(await total({ createdSince: first, createdUntil: third })).toBe(2);
    expect(await total({ createdSince: third, createdUntil: first })).toBe(0);
    expect(await total({ createdSince: second, search: 'number' })).toBe(2);
    expect(await total({ createdSince: second, sort: 'clickCount' })).toBe(2);
    const zoned = new Date(Date.parse(second) + 3_600_000).toISOString().replace('Z', '+01:00');
    expect(await total({ createdSince: zoned })).toBe(2);
    const query = { limit: 1, createdUntil: third };
    const { data } = await mine.call('listUrls', { query });
    const rest = await mine.call('listUrls', {
      query: { ...query, after: data.nextAfter as string },
    });
    expect(rest.data).toMatchObject({ total: 2, nextAfter: null, items: [{ isActive: true }] });
  });

  it('lists a link past its expiresAt as inactive at once', async () => {
    const mine = await api.newcomer('enterprise');
    const expiresAt = new Date(api.clock() + 1000).toISOString();
    const id = await create(mine, { expiresAt });
    api.clock.advance(1000);
    const { data } = await mine.call('listUrls', { query: { isActive: false } });
    expect(data.items).toMatchObject([{ id, isActive: false }]);
    expect((await mine.call('listUrls', { query: { isActive: true } })).data.total).toBe(0);
  });
});

describe('GET /api/v1/urls/{id}', () => {
  it.each(['0', '1.5', '01', '1e3', '9007199254740992', '__proto__'])(
    'refuses the id %s and names it',
    async (id) => {
      for (const method of ['GET', 'DELETE', 'PATCH']) {
        const response = await api.send(method, `/api/v1/urls/${id}`);
        expect(response.outcome).toBe('400 VALIDATION_FAILED');
        expect(response.invalidFields).toEqual(['id']);
      }
    },
  );

  it('refuses a path with invalid percent-encoding', async () => {
    const response = await api.send('GET', '/api/v1/urls/%zz');
    expect(response.outcome).toBe('400 VALIDATION_FAILED');
    expect(response.invalidFields).toEqual(['path']);
  });
});
