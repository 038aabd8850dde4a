import { describe, expect, it } from 'vitest';
import { type Caller, startForFile } from './start-server.js';

const targetUrl = 'https://example.com/';
const api = await startForFile();

const create = (caller: Caller, body: object) =>
  caller.call('createUrl', { body: { targetUrl, ...body } });
const put = (caller: Caller, externalId: string, body: object, headers = {}) =>
  caller.call('upsertUrl', {
    params: { externalId: encodeURIComponent(externalId) },
    body: { targetUrl, ...body },
    headers,
  });
const countLinks = async (caller: Caller) => (await caller.call('listUrls')).data.total;

describe('externalId', () => {
  it('is unique in an organization, also after a delete', async () => {
    const caller = await api.newcomer('enterprise');
    const { id } = (await create(caller, { externalId: 'order-1' })).data;
    const refused = await create(caller, { externalId: 'order-1' });
    expect(refused.outcome).toBe('409 EXTERNAL_ID_CONFLICT');
    expect(refused.error.message).toBe('externalId "order-1" is taken by another link');
    expect(refused.invalidFields).toEqual(['externalId']);
    await caller.call('deleteUrl', { params: { id } });
    expect((await create(caller, { externalId: 'order-1' })).status).toBe(409);
    expect((await create(await api.newcomer('enterprise'), { externalId: 'order-1' })).status).toBe(
      201,
    );
  });

  it('is set, moved and cleared by PATCH, and refused when another link has it', async () => {
    const caller = await api.newcomer('enterprise');
    const first = (await create(caller, { externalId: 'a' })).data.id;
    const second = (await create(caller, {})).data.id;
    const patch = (id: string, externalId: string | null) =>
      caller.call('updateUrl', { params: { id }, body: { externalId } });
    expect((await patch(second, 'a')).outcome).toBe('409 EXTERNAL_ID_CONFLICT');
    expect((await patch(first, 'a')).data.externalId).toBe('a');
    expect((await patch(first, null)).data.externalId).toBeNull();
    expect((await patch(second, 'a')).data.externalId).toBe('a');
  });

  it('fails one item of a bulk request, and the first of two items gets it', async () => {
    const caller = await api.newcomer('enterprise');
    await create(caller, { externalId: 'taken' });
    const urls = ['taken', 'new', 'new', null].map((externalId) => ({ targetUrl, externalId }));
    const { data } = await caller.call('bulkCreateUrls', { body: { urls } });
    expect(data.created.map(({ index }) => index)).toEqual([1, 3]);
    expect(data.created.map(({ externalId }) => externalId)).toEqual(['new', null]);
    expect(data.errors).toMatchObject([
      { index: 0, externalId: 'taken' },
      { index: 2, externalId: 'new' },
    ]);
    const [{ id = '' } = {}] = data.created;
    const updates = [
      { id, title: 'x' },
      { id, externalId: 'taken' },
      { id: 0, externalId: 'other' },
    ];
    const changed = (await caller.call('bulkUpdateUrls', { body: { updates } })).data;
    expect(changed.updated).toMatchObject([{ id, externalId: 'new' }]);
    expect(changed.errors.map(({ externalId }) => externalId)).toEqual(['taken', 'other']);
  });

  it.each(['clicks', 'a/b', 'ü %2F?#'])('may be %j in the path', async (externalId) => {
    const caller = await api.newcomer('enterprise');
    const { id } = (await put(caller, externalId, {})).data;
    const params = { externalId: encodeURIComponent(externalId) };
    const { data } = await caller.call('getUrlByExternalId', { params });
    expect(data).toMatchObject({ id, externalId });
  });
});

describe('PUT /api/v1/urls/by-external-id/{externalId}', () => {
  it('creates the link, and then changes it', async () => {
    const caller = await api.newcomer('enterprise');
    const created = await put(caller, 'order-1', { customSlug: 'order-one', title: 'One' });
    expect(created.status).toBe(201);
    expect(created.data).toMatchObject({ externalId: 'order-1', title: 'One', isActive: true });
    const again = await put(caller, 'order-1', { customSlug: 'order-one', title: 'One' });
    expect(again.status).toBe(200);
    expect(again.data).toEqual(created.data);
    const changed = await put(caller, 'order-1', { targetUrl: `${targetUrl}new`, title: null });
    expect(changed.data).toMatchObject({
      id: created.data.id,
      targetUrl: `${targetUrl}new`,
      title: null,
      customSlug: 'order-one',
    });
    expect((await api.visit('/order-one')).headers.get('location')).toBe(`${targetUrl}new`);
    expect(await countLinks(caller)).toBe(1);
  });

  it('creates one link for requests at the same time', async () => {
    const caller = await api.newcomer('enterprise');
    const responses = await Promise.all(Array.from({ length: 16 }, () => put(caller, 'once', {})));
    expect(responses.map(({ status }) => status).sort()).toEqual([...Array(15).fill(200), 201]);
    expect(await countLinks(caller)).toBe(1);
  });

  it('refuses to change the slug or importedClicks, and names both values', async () => {
    const caller = await api.newcomer('enterprise');
    await put(caller, 'x', { customSlug: 'first-slug', importedClicks: 3 });
    const slug = await put(caller, 'x', { customSlug: 'other-slug' });
    expect(slug.invalidFields).toEqual(['customSlug']);
    expect(slug.error.message).toContain('"other-slug" cannot replace "first-slug"');
    const clicks = await put(caller, 'x', { importedClicks: 4 });
    expect(clicks.invalidFields).toEqual(['importedClicks']);
    expect((await put(caller, 'x', { importedClicks: 3 })).status).toBe(200);
  });

  it('leaves a paused link paused, and resumes it with isActive', async () => {
    const caller = await api.newcomer('enterprise');
    const { id } = (await put(caller, 'x', {})).data;
    await caller.call('deleteUrl', { params: { id } });
    expect((await put(caller, 'x', { title: 'new' })).data.isActive).toBe(false);
    expect((await put(caller, 'x', { isActive: true })).data.isActive).toBe(true);
  });

  it('refuses a slug that is taken, and keeps a password that is not sent again', async () => {
    const caller = await api.newcomer('enterprise');
    await create(caller, { customSlug: 'taken-slug' });
    const refused = await put(caller, 'new', { customSlug: 'taken-slug' });
    expect(refused.outcome).toBe('409 SLUG_CONFLICT');
    await put(caller, 'new', { isPasswordProtected: true, password: 's' });
    const { data } = await put(caller, 'new', { title: 'stays protected' });
    expect(data.isPasswordProtected).toBe(true);
  });
});

describe('ifExists: return', () => {
  const reuse = (caller: Caller, body: object = {}) =>
    create(caller, { ...body, ifExists: 'return' });

  it('returns the first active link with the target, with 200', async () => {
    const caller = await api.newcomer('enterprise');
    const first = await create(caller, { customSlug: 'reuse-me', title: 'any title' });
    await create(caller, {});
    const found = await reuse(caller, { title: 'ignored' });
    expect(found.status).toBe(200);
    expect(found.data).toEqual(first.data);
    expect(await countLinks(caller)).toBe(2);
  });

  it.each([
    { targetUrl: `${targetUrl}other` },
    { utmSource: 'mail' },
    { customUtmParams: { utm_id: '7' } },
    { customSlug: 'wants-this-slug' },
  ])('creates a link if %j differs, and returns it the next time', async (body) => {
    const caller = await api.newcomer('enterprise');
    await create(caller, {});
    const created = await reuse(caller, body);
    expect(created.status).toBe(201);
    const again = await reuse(caller, body);
    expect([again.status, again.data]).toEqual([200, created.data]);
  });

  it('ignores paused, expired, protected and taken down links, and those of others', async () => {
    await create(await api.newcomer('enterprise'), {});
    const caller = await api.newcomer('enterprise');
    const { id } = (await create(caller, {})).data;
    await caller.call('deleteUrl', { params: { id } });
    await create(caller, { isPasswordProtected: true, password: 'secret' });
    const { shortUrl } = (await create(caller, {})).data;
    await api.operator.call('takeDownUrl', { body: { shortUrl, reason: 'phishing' } });
    expect((await reuse(caller)).status).toBe(201);
  });

  it('creates one link for requests at the same time, and in one bulk request', async () => {
    const caller = await api.newcomer('enterprise');
    await Promise.all(Array.from({ length: 16 }, () => reuse(caller)));
    expect(await countLinks(caller)).toBe(1);
    const item = { targetUrl: `${targetUrl}bulk`, ifExists: 'return' };
    const urls = [item, item, { ...item, title: 'again' }];
    const { data } = await caller.call('bulkCreateUrls', { body: { urls } });
    expect(data.created.map(({ isExisting }) => isExisting)).toEqual([undefined, true, true]);
    expect(new Set(data.created.map(({ id }) => id)).size).toBe(1);
    expect(await countLinks(caller)).toBe(2);
  });

  it('counts no existing link towards the plan', async () => {
    const caller = await api.newcomer('free');
    const urls = Array.from({ length: 50 }, (_, at) => ({ targetUrl: `${targetUrl}${at}` }));
    await caller.call('bulkCreateUrls', { body: { urls } });
    expect((await reuse(caller, { targetUrl: `${targetUrl}7` })).status).toBe(200);
    expect((await reuse(caller, { targetUrl: `${targetUrl}new` })).outcome).toBe(
      '402 QUOTA_EXCEEDED',
    );
  });

  it('is refused with a password or maxClicks, and with another value', async () => {
    const protectedLink = await reuse(api, { isPasswordProtected: true, password: 'secret' });
    expect(protectedLink.invalidFields).toEqual(['ifExists']);
    expect((await reuse(api, { maxClicks: 5 })).invalidFields).toEqual(['ifExists']);
    const response = await create(api, { ifExists: 'skip' });
    expect(response.error.message).toContain('ifExists is "skip": it must be "return"');
  });
});
