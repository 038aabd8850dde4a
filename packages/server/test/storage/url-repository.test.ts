import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { draftOf, openRepository, type Stored } from './temporary-database.js';

let stored: Stored;
beforeAll(async () => {
  stored = await openRepository();
});
afterAll(() => stored.close());

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
});
