import { describe, expect, it } from 'vitest';
import { callerOf, startForFile } from './start-server.js';

// `test/isolation/restricted-keys.test.ts` shows for every route that other links are out of reach.
const api = await startForFile();
const { id: domainId } = await api.addDomain('go.example.com');
const targetUrl = 'https://example.com/';

const create = (restriction: object) =>
  api.call('createApiKey', { body: { name: 'restricted', ...restriction } });
async function callerWith(restriction: object) {
  const { data } = await create(restriction);
  return callerOf(api.server.url, data.key, api.organizationId);
}

describe('POST /api/v1/api-keys with a restriction', () => {
  it('creates a key with the scopes of links, QR codes and analytics by default', async () => {
    const { status, data } = await create({ domainId, onlyOwnLinks: true });
    expect(status).toBe(201);
    expect(data).toMatchObject({ domainId, onlyOwnLinks: true });
    const scopes = ['urls:read', 'urls:write', 'qr:read', 'qr:write', 'analytics:read'];
    expect(data.scopes).toEqual(scopes);
    const me = await callerOf(api.server.url, data.key, api.organizationId).call('getMe');
    expect(me.data.apiKey).toMatchObject({ domainId, onlyOwnLinks: true });
  });

  it('refuses other scopes, and domains on which no link can be', async () => {
    const wide = await create({ onlyOwnLinks: true, scopes: ['urls:read', 'webhooks:read'] });
    expect(wide.invalidFields).toEqual(['scopes']);
    expect(wide.error.message).toContain('webhooks:read');
    const { data: pending } = await api.call('createDomain', { body: { hostname: 'new.example' } });
    const refused = await create({ domainId: pending.id });
    expect(refused.outcome).toBe('400 DOMAIN_INVALID');
    expect(refused.error.message).toContain(pending.id);
  });
});

describe('a key that is restricted to a domain', () => {
  it('creates links there by default, and moves none', async () => {
    const key = await callerWith({ domainId });
    const data = await key.createLink();
    expect(data).toMatchObject({ domainId, shortUrl: expect.stringMatching(/go\.example\.com/) });
    const moved = await key.call('updateUrl', {
      params: { id: data.id },
      body: { domainId: null },
    });
    expect(moved.outcome).toBe('400 DOMAIN_INVALID');
    const upserted = await key.call('upsertUrl', {
      params: { externalId: 'order' },
      body: { targetUrl },
    });
    expect(upserted.data.domainId).toBe(domainId);
    const { id: otherId } = await api.addDomain('other.example.com');
    const urls = [{ targetUrl }, { targetUrl, domainId: otherId }];
    const bulk = await key.call('bulkCreateUrls', { body: { urls } });
    expect(bulk.data).toMatchObject({
      created: [{ index: 0, shortUrl: expect.stringMatching(/go\.example\.com/) }],
      errors: [{ index: 1, code: 'DOMAIN_INVALID' }],
    });
  });

  it('checks slugs there by default', async () => {
    const key = await callerWith({ domainId });
    await api.call('createUrl', { body: { targetUrl, customSlug: 'taken-here', domainId } });
    const { data } = await key.call('checkSlug', { query: { slug: 'taken-here' } });
    expect(data).toMatchObject({ isAvailable: false, reason: 'TAKEN' });
  });
});

describe('a key that is restricted to its own links', () => {
  it('gets no equal link of others, and no result of their Idempotency-Key', async () => {
    const key = await callerWith({ onlyOwnLinks: true });
    const call = {
      body: { targetUrl, ifExists: 'return' },
      headers: { 'idempotency-key': 'same' },
    };
    const others = await api.call('createUrl', call);
    const own = await key.call('createUrl', call);
    expect(own.status).toBe(201);
    expect(own.data.id).not.toBe(others.data.id);
    expect((await key.call('createUrl', call)).data.id).toBe(own.data.id);
    const again = await key.call('createUrl', { body: call.body });
    expect([again.status, again.data.id]).toEqual([200, own.data.id]);
  });

  it('lists and renames tags of these only', async () => {
    const key = await callerWith({ onlyOwnLinks: true });
    const body = { targetUrl, tags: ['shared'] };
    const other = await api.createLink(body);
    await key.createLink(body);
    const tags = await key.call('listTags');
    expect(tags.data.items).toEqual([{ name: 'shared', linkCount: 1 }]);
    const renamed = await key.call('renameTag', {
      params: { tag: 'shared' },
      body: { name: 'mine' },
    });
    expect(renamed.data.updatedCount).toBe(1);
    expect((await api.getLink(other.id)).tags).toEqual(['shared']);
  });

  it('draws QR codes of these only, and none without a link', async () => {
    const key = await callerWith({ onlyOwnLinks: true });
    const own = await key.createLink();
    const { data: qr } = await key.call('createQr', { body: { urlId: Number(own.id) } });
    await api.call('createQr', { body: { data: 'a text' } });
    expect((await key.call('listQrs')).data).toMatchObject({ total: 1, items: [{ id: qr.id }] });
    const standalone = await key.call('createQr', { body: { data: 'a text' } });
    expect(standalone.invalidFields).toEqual(['urlId']);
  });
});
