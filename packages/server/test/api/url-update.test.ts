import { describe, expect, it } from 'vitest';
import { startForFile } from './start-server.js';

const api = await startForFile();

async function create(body: object = {}): Promise<string> {
  const response = await api.call('createUrl', {
    body: { targetUrl: 'https://example.com/', ...body },
  });
  return response.data.id;
}
const patch = (id: string, body: unknown) => api.call('updateUrl', { params: { id }, body });

describe('PATCH /api/v1/urls/{id}', () => {
  const changes = {
    targetUrl: 'https://example.com/changed?x=1#y',
    title: 'Title',
    description: 'Text',
    category: 'c',
    tags: ['a', 'b'],
    redirectType: 308,
    activatesAt: '2025-06-01T12:00:00.000Z',
    expiresAt: '2031-01-01T00:00:00.000Z',
    expiredUrl: 'https://example.com/over?x=1#y',
    utmSource: 's',
    utmMedium: 'm',
    utmCampaign: 'c',
    utmTerm: 't',
    utmContent: 'c',
    customUtmParams: { a: 'b' },
    sourceDomain: 'd.example',
    rules: [{ when: { os: ['iOS'] }, targetUrl: 'https://example.com/app' }],
  };

  it.each(Object.entries(changes))('accepts %s and changes nothing else', async (field, value) => {
    const id = await create();
    const before = await api.getLink(id);
    api.clock.advance(5);
    const response = await patch(id, { [field]: value });
    expect(response.status).toBe(200);
    const updatedAt = new Date(api.clock()).toISOString();
    expect(response.data).toEqual({ ...before, [field]: value, updatedAt });
    expect(await api.getLink(id)).toEqual(response.data);
  });

  it.each([...Object.keys(changes).filter((field) => field !== 'targetUrl')])(
    'clears %s by null',
    async (field) => {
      const fresh = await api.getLink(await create());
      const id = await create(changes);
      const response = await patch(id, { [field]: null });
      expect(response.data[field as keyof typeof changes]).toEqual(
        fresh[field as keyof typeof changes],
      );
    },
  );

  it.each([
    ...['customSlug', 'data', 'urlId', 'id', 'shortCode', 'organizationId'],
    ...['clickCount', 'excludedClicks', 'importedClicks', 'deletedAt'],
  ])('refuses %s, which PATCH cannot change', async (field) => {
    const response = await patch(await create(), { [field]: 'new-value' });
    expect(response.outcome).toBe('400 VALIDATION_FAILED');
    expect(response.invalidFields).toEqual([field]);
  });

  it('says that a slug cannot change, and only where a link is changed', async () => {
    const { error } = await patch(await create(), { customSlug: 'other' });
    expect(error?.message).toContain('customSlug cannot change after the creation');
    const listed = await api.call('listUrls', { query: { customSlug: 'other' } as never });
    expect(listed.error?.message).toContain('customSlug is not a known');
  });

  it.each(['targetUrl', 'isActive'])('cannot clear %s', async (field) => {
    const response = await patch(await create(), { [field]: null });
    expect(response.invalidFields).toEqual([field]);
  });

  it('changes nothing for an empty body or the same values', async () => {
    const id = await create(changes);
    const before = await api.getLink(id);
    api.clock.advance(1000);
    expect((await patch(id, {})).data).toEqual(before);
    expect((await patch(id, changes)).data).toEqual(before);
    expect((await patch(id, { isActive: true, isPasswordProtected: false })).data).toEqual(before);
  });
});

describe('states of a URL', () => {
  it('an expired link is activated only with a later expiresAt or without one', async () => {
    const id = await create({ expiresAt: new Date(api.clock() + 1000).toISOString() });
    api.clock.advance(1000);
    await api.server.expireUrls();
    const refused = await patch(id, { isActive: true });
    expect(refused.outcome).toBe('400 VALIDATION_FAILED');
    expect(refused.invalidFields).toEqual(['isActive']);
    expect((await patch(id, { isActive: true, expiresAt: null })).data.isActive).toBe(true);
  });

  it('a later expiresAt alone does not activate an expired link, before or after isActive is stored as false', async () => {
    for (const isSwept of [false, true]) {
      const id = await create({ expiresAt: new Date(api.clock() + 1000).toISOString() });
      api.clock.advance(1000);
      if (isSwept) await api.server.expireUrls();
      const response = await patch(id, { expiresAt: null });
      expect(response.data.isActive, `swept: ${isSwept}`).toBe(false);
    }
  });
});
