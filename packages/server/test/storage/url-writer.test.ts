import { v7 as newUuid } from 'uuid';
import { afterAll, describe, expect, it } from 'vitest';
import { bodyOf, openLinks, openRepository } from './temporary-database.js';

const stored = await openRepository();
afterAll(() => stored.close());

describe('create', () => {
  it('generates another code when one is taken by a code or a slug', async () => {
    const organizationId = await stored.addOrganization('scale');
    await stored.create(organizationId, [{ customSlug: 'SlugAAA' }], ['CodeAAA']);
    const [created] = await stored.create(organizationId, [{}], ['CodeAAA', 'SlugAAA', 'FreeAAA']);
    expect(created?.shortCode).toBe('FreeAAA');
    expect(await stored.urls.findByKey(null, 'FreeAAA')).toMatchObject({
      url: { shortCode: 'FreeAAA' },
    });
  });

  it('generates longer codes when those of the usual length are taken', async () => {
    const organizationId = await stored.addOrganization('scale');
    const taken = Array.from({ length: 100 }, (_, index) => `Taken${index}`);
    await stored.create(organizationId, Array(100).fill({}), taken);
    let drawn = 0;
    const { writer } = openLinks(stored.database, newUuid, (extraLength = 0) => {
      drawn += 1;
      return extraLength === 0 ? `Taken${drawn % 100}` : `Longer${drawn}`;
    });
    const items = Array(100).fill({ body: bodyOf() });
    const context = { organizationId, now: 0, write: undefined };
    const { result } = await writer.create(items, (url) => url, context);
    const codes = result.map((each) => each.status === 'created' && each.presented.shortCode);
    for (const code of codes) expect(code).toMatch(/^Longer/);
    expect(new Set(codes).size).toBe(100);
  });
});
