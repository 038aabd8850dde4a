import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { draftOf, openRepository, type Stored } from './temporary-database.js';

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
  it('generates another code when one is taken by a code or a slug', async () => {
    const organizationId = await stored.addOrganization('scale');
    await stored.create(organizationId, [{ customSlug: 'SlugAAA' }], ['CodeAAA']);
    const [outcome] = await stored.create(organizationId, [{}], ['CodeAAA', 'SlugAAA', 'FreeAAA']);
    expect(outcome).toMatchObject({ status: 'created', shortCode: 'FreeAAA' });
    expect(await stored.urls.findByKey(null, 'FreeAAA')).toMatchObject({
      url: { shortCode: 'FreeAAA' },
    });
  });

  it('generates longer codes when those of the usual length are taken', async () => {
    const organizationId = await stored.addOrganization('scale');
    const taken = Array.from({ length: 100 }, (_, index) => `Taken${index}`);
    await stored.create(organizationId, Array(100).fill({}), taken);
    let drawn = 0;
    const { result } = await stored.urls.createMany(Array(100).fill(draftOf({})), {
      organizationId,
      now: 0,
      newShortCode(extraLength = 0) {
        drawn += 1;
        return extraLength === 0 ? `Taken${drawn % 100}` : `Longer${drawn}`;
      },
      write: undefined,
    });
    const codes = result.outcomes.map((each) => each.status === 'created' && each.shortCode);
    for (const code of codes) expect(code).toMatch(/^Longer/);
    expect(new Set(codes).size).toBe(100);
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
});
