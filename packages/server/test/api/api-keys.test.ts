import { describe, expect, it } from 'vitest';
import { scopes } from '../../src/contract/define-route.js';
import { callerOf, startForFile } from './start-server.js';

const api = await startForFile();

const create = async (body: object = {}, headers: Record<string, string> = {}) =>
  api.call('createApiKey', { body: { name: 'deploy', ...body }, headers });
const callerWith = (key: string) => callerOf(api.server.url, key, api.organizationId);
const notByDefault = ['keys:write', 'people:write', 'urls:erase'];
const byDefault = scopes.filter((scope) => !notByDefault.includes(scope));

describe('POST /api/v1/api-keys', () => {
  it('returns the key once, and the record of the list', async () => {
    const { status, data } = await create({ scopes: ['urls:read'], expiresAt: '2031-01-01' });
    expect(status).toBe(201);
    const { key, ...record } = data;
    expect(key).toMatch(/^shorty_ak_[\w-]{43}$/);
    expect(record).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      name: 'deploy',
      start: key.slice(0, 14),
      scopes: ['urls:read'],
      domainId: null,
      onlyOwnLinks: false,
      createdBy: api.credentials.clientId,
      createdAt: '2030-01-01T00:00:00.000Z',
      expiresAt: '2031-01-01T00:00:00.000Z',
      lastUsedAt: null,
    });
    const list = await api.call('listApiKeys');
    expect(list.data.items[0]).toEqual(record);
    expect(list.text).not.toContain(key);
  });

  it('has all scopes of the caller by default, but for those of erasure, keys and people', async () => {
    expect((await create()).data.scopes).toEqual(byDefault);
    const narrow = await api.signIn(api.credentials, 'keys:write qr:read');
    const { data } = await narrow.call('createApiKey', { body: { name: 'narrow' } });
    expect(data.scopes).toEqual(['qr:read']);
  });

  it('has at most the scopes of the caller, and never keys:write', async () => {
    const narrow = await api.signIn(api.credentials, 'keys:write qr:read');
    const body = { name: 'wide', scopes: ['qr:read', 'urls:write'] };
    const response = await narrow.call('createApiKey', { body });
    expect(response.outcome).toBe('403 INSUFFICIENT_SCOPE');
    expect(response.error.message).toContain('lacks urls:write');
    expect((await create({ scopes: ['keys:write'] })).invalidFields).toEqual(['scopes[0]']);
    const only = await api.signIn(api.credentials, 'keys:write');
    expect((await only.call('createApiKey', { body: { name: 'none' } })).status).toBe(403);
  });

  it('refuses an end in the past', async () => {
    expect((await create({ expiresAt: '2029-12-31' })).invalidFields).toEqual(['expiresAt']);
  });

  it('creates at most 100 keys for an organization', async () => {
    const owner = await api.newcomer('scale');
    const make = () => owner.call('createApiKey', { body: { name: 'one of many' } });
    const made = await Promise.all(Array.from({ length: 100 }, make));
    expect(new Set(made.map(({ status }) => status))).toEqual(new Set([201]));
    const refused = await make();
    expect(refused.outcome).toBe('402 QUOTA_EXCEEDED');
    expect(refused.error.message).toBe(
      'An organization has at most 100 API keys, and 100 exist. Delete one first',
    );
    const page = await owner.call('listApiKeys', { query: { limit: 2, offset: 99 } });
    expect(page.data).toMatchObject({ total: 100, items: [{ name: 'one of many' }] });
  });
});

describe('a request with an API key', () => {
  it('has the organization, scopes, limits and meters of a token', async () => {
    const { data } = await create({ scopes: ['urls:write'] });
    const caller = callerWith(data.key);
    const made = await caller.call('createUrl', { body: { targetUrl: 'https://example.com/' } });
    expect(made.data.organizationId).toBe(api.organizationId);
    expect(made.headers.get('ratelimit-limit')).toBe('6000');
    expect((await caller.call('listUrls')).outcome).toBe('403 INSUFFICIENT_SCOPE');
  });

  it('fails from the next request on after the key was revoked', async () => {
    const { data } = await create();
    const caller = callerWith(data.key);
    expect((await caller.call('getMe')).status).toBe(200);
    const { key: _, ...record } = data;
    const revoked = await api.call('deleteApiKey', { params: { id: data.id } });
    expect(revoked.data).toMatchObject({ ...record, lastUsedAt: revoked.data.lastUsedAt });
    expect((await caller.call('getMe')).outcome).toBe('401 UNAUTHORIZED');
    const again = await api.call('deleteApiKey', { params: { id: data.id } });
    expect(again.outcome).toBe('404 NOT_FOUND');
  });
});

it('lastUsedAt is at most a minute late', async () => {
  const { data } = await create();
  const lastUsedAt = async () =>
    (await api.call('listApiKeys')).data.items.find(({ id }) => id === data.id)?.lastUsedAt;
  for (let use = 0; use < 2; use += 1) {
    await callerWith(data.key).call('getMe');
    await expect.poll(lastUsedAt).toBe(new Date(api.clock()).toISOString());
    api.clock.advance(60_000);
  }
});

describe('GET /api/v1/me', () => {
  it('names organization, plan, scopes and client of a token', async () => {
    const narrow = await api.signIn(api.credentials, 'qr:read urls:read');
    expect((await narrow.call('getMe')).data).toEqual({
      organization: { id: api.organizationId, name: 'default', plan: 'enterprise' },
      scopes: ['urls:read', 'qr:read'],
      client: { id: api.credentials.clientId },
      apiKey: null,
      user: null,
    });
  });

  it('names the API key', async () => {
    const { data } = await create({ name: 'who am I', scopes: ['usage:read'] });
    expect((await callerWith(data.key).call('getMe')).data).toMatchObject({
      scopes: ['usage:read'],
      client: null,
      apiKey: { id: data.id, name: 'who am I', expiresAt: null },
    });
  });
});
