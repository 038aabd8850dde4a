import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { draftOf, failingItem, now, openRepository, type Stored } from './temporary-database.js';

let stored: Stored;
beforeAll(async () => {
  stored = await openRepository();
});
afterAll(() => stored.close());

const statuses = (outcomes: readonly { status: string }[]) => outcomes.map(({ status }) => status);
const activeUrls = async (id: string) => {
  const row = await stored.database.read
    .selectFrom('organizations')
    .select('active_urls')
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  return row.active_urls;
};
const rowCount = async (organizationId: string) => {
  const rows = await stored.database.read
    .selectFrom('urls')
    .select('id')
    .where('organization_id', '=', organizationId)
    .execute();
  return rows.length;
};

describe('createMany', () => {
  it('stores all fields of a draft', async () => {
    const organizationId = await stored.addOrganization('scale');
    const draft = {
      customSlug: 'stored-link',
      title: 'Ünïcödé 🌷',
      description: 'a\nb',
      tags: ['one', 'two'],
      expiresAt: now + 1000,
      customUtmParams: { b: '2', a: '1' },
      redirectType: 308 as const,
    };
    const [outcome] = await stored.create(organizationId, [draft], ['STORED1']);
    if (outcome?.status !== 'created') throw new Error('not created');
    const found = await stored.urls.get(organizationId, outcome.id);
    expect(found).toMatchObject({ ...draft, shortCode: 'STORED1', isActive: true, createdAt: now });
    expect(await stored.urls.findByKey(null, 'stored-link')).toEqual({
      url: found,
      isSuspended: false,
      domainSettings: null,
      excludeAddresses: '',
    });
    expect(await stored.urls.findByKey(null, 'STORED1')).toEqual({
      url: found,
      isSuspended: false,
      domainSettings: null,
      excludeAddresses: '',
    });
    expect(await stored.urls.findByKey('other-domain', 'STORED1')).toBeUndefined();
    await expect(stored.urls.get('other-organization', outcome.id)).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
  });

  it('finds several keys at once, each on its own domain', async () => {
    const organizationId = await stored.addOrganization('scale');
    const drafts = Array.from({ length: 300 }, (_, at) => ({
      ...draftOf(),
      customSlug: `together-${at}`,
    }));
    const created = await stored.create(organizationId, drafts);
    const ids = created.map((outcome) => (outcome.status === 'created' ? outcome.id : 0));
    const found = await Promise.all([
      ...drafts.map(({ customSlug }) => stored.urls.findByKey(null, customSlug)),
      stored.urls.findByKey('other-domain', 'together-1'),
      stored.urls.findByKey(null, 'TOGETHER-1'),
      stored.urls.findByKey(null, 'it\'s, {"quoted"} \\ NULL'),
      stored.urls.findByKey(null, 'null'),
    ]);
    expect(found.map((each) => each?.url.id)).toEqual([...ids, ...Array(4).fill(undefined)]);
  });

  it('generates another code when one is taken by a code or a slug', async () => {
    const organizationId = await stored.addOrganization('scale');
    await stored.create(organizationId, [{ customSlug: 'SlugAAA' }], ['CodeAAA']);
    const [outcome] = await stored.create(organizationId, [{}], ['CodeAAA', 'SlugAAA', 'FreeAAA']);
    expect(outcome).toMatchObject({ status: 'created', shortCode: 'FreeAAA' });
    expect(await stored.urls.findByKey(null, 'FreeAAA')).toMatchObject({
      url: { shortCode: 'FreeAAA' },
    });
  });

  it('generates another code when two drafts of a request have the same code', async () => {
    const organizationId = await stored.addOrganization('scale');
    const outcomes = await stored.create(
      organizationId,
      [{}, {}, {}],
      ['Twin001', 'Twin001', 'Twin001', 'Twin002', 'Twin003'],
    );
    expect(outcomes.map((outcome) => outcome.status === 'created' && outcome.shortCode)).toEqual([
      'Twin001',
      'Twin002',
      'Twin003',
    ]);
  });

  it('counts no failed draft, and stores nothing of it', async () => {
    const organizationId = await stored.addOrganization('free');
    await stored.create(organizationId, [{ customSlug: 'taken-here' }]);
    const outcomes = await stored.create(organizationId, [
      { customSlug: 'taken-here' },
      { domainId: 'no-domain', customSlug: 'never-made' },
      { customSlug: 'made-here' },
      { customSlug: 'made-here' },
    ]);
    expect(statuses(outcomes)).toEqual([
      'slug-conflict',
      'domain-invalid',
      'created',
      'slug-conflict',
    ]);
    expect(await activeUrls(organizationId)).toBe(2);
    expect(await rowCount(organizationId)).toBe(2);
    expect(await stored.urls.findByKey(null, 'never-made')).toBeUndefined();
  });

  it('does not take the slug of a draft that exceeds the quota', async () => {
    const organizationId = await stored.addOrganization('free');
    await stored.create(
      organizationId,
      Array.from({ length: 50 }, () => ({})),
    );
    const [refused] = await stored.create(organizationId, [{ customSlug: 'over-quota' }]);
    expect(refused?.status).toBe('quota-exceeded');
    const other = await stored.addOrganization('scale');
    const [made] = await stored.create(other, [{ customSlug: 'over-quota' }]);
    expect(made?.status).toBe('created');
  });

  it('creates paused links beyond the quota of active links', async () => {
    const organizationId = await stored.addOrganization('free');
    await stored.create(organizationId, Array(49).fill({}));
    const paused = { isActive: false, customSlug: 'paused-slug' };
    const outcomes = await stored.create(organizationId, [paused, {}, {}, { isActive: false }]);
    expect(statuses(outcomes)).toEqual(['created', 'created', 'quota-exceeded', 'created']);
    expect(await activeUrls(organizationId)).toBe(50);
    expect(await rowCount(organizationId)).toBe(52);
    expect(await stored.urls.findByKey(null, 'paused-slug')).toMatchObject({
      url: { isActive: false },
    });
  });

  it('writes url.created for a paused link, with isActive false', async () => {
    const organizationId = await stored.addOrganization('scale');
    await stored.subscribe(organizationId, ['url.created', 'url.updated']);
    await stored.create(organizationId, [{ isActive: false }]);
    const events = await stored.database.read
      .selectFrom('events')
      .select(['type', 'body'])
      .where('organization_id', '=', organizationId)
      .execute();
    expect(events.map(({ type }) => type)).toEqual(['url.created']);
    expect(JSON.parse(events[0]?.body ?? '').data).toMatchObject({ isActive: false });
  });

  it('accepts exactly 50 of 64 concurrent creates on the plan free', async () => {
    const organizationId = await stored.addOrganization('free');
    const outcomes = await Promise.all(
      Array.from({ length: 64 }, () => stored.create(organizationId, [{}])),
    );
    const created = outcomes.flat().filter(({ status }) => status === 'created');
    expect(created).toHaveLength(50);
    expect(await activeUrls(organizationId)).toBe(50);
    expect(await rowCount(organizationId)).toBe(50);
  });

  it('lets one of 64 concurrent creates have a slug', async () => {
    const organizationId = await stored.addOrganization('scale');
    const outcomes = await Promise.all(
      Array.from({ length: 64 }, () =>
        stored.create(organizationId, [{ customSlug: 'one-of-64' }]),
      ),
    );
    expect(outcomes.flat().filter(({ status }) => status === 'created')).toHaveLength(1);
    expect(await activeUrls(organizationId)).toBe(1);
  });

  it('rolls back a request whose last step fails, and commits the other requests of its group', async () => {
    const organizationId = await stored.addOrganization('scale');
    const failing = stored.urls.createMany([draftOf({ customSlug: 'undone' }), failingItem], {
      organizationId,
      now,
      newShortCode: () => 'Undone1',
      write: undefined,
    });
    const neighbours = [
      stored.create(organizationId, [{ customSlug: 'neighbour-1' }]),
      stored.create(organizationId, [{ customSlug: 'neighbour-2' }]),
    ];
    await expect(failing).rejects.toThrow('the last step');
    expect(statuses((await Promise.all(neighbours)).flat())).toEqual(['created', 'created']);
    expect(await stored.urls.findByKey(null, 'undone')).toBeUndefined();
    expect(await stored.urls.findByKey(null, 'Undone1')).toBeUndefined();
    expect(await activeUrls(organizationId)).toBe(2);
  });
});

describe('expireDue', () => {
  it('deactivates the expired links and no others, in batches', async () => {
    const organizationId = await stored.addOrganization('scale');
    await stored.create(organizationId, [
      { expiresAt: now + 5000 },
      { expiresAt: now + 5000 },
      { expiresAt: now + 5001 },
      {},
    ]);
    await stored.urls.expireDue(now + 4999, 100);
    expect(await activeUrls(organizationId)).toBe(4);
    const ids = [
      ...(await stored.urls.expireDue(now + 5000, 1)),
      ...(await stored.urls.expireDue(now + 5000, 100)),
    ];
    expect(ids.length).toBeGreaterThanOrEqual(2);
    expect(await stored.urls.expireDue(now + 5000, 100)).toEqual([]);
    expect(await activeUrls(organizationId)).toBe(2);
  });
});
