import { describe, expect, it } from 'vitest';
import { api as table } from '../../src/api/api.js';
import type { Route } from '../../src/contract/define-route.js';
import { tablesOf } from '../storage/tables-of.js';
import {
  callerOf,
  requestToken,
  startForFile,
  startForTest,
  type TestServer,
} from './start-server.js';

const routes = (table as readonly Route[]).filter(({ access }) => access === 'operator');
const named = routes.map(
  (route) => [`${route.method.toUpperCase()} ${route.path}`, route] as const,
);
const anyId = '0192f0c1-2b7d-7c3e-9a51-3f1d2b6c8e47';
const pathOf = ({ path }: Route) => path.replace(/\{\w+\}/g, anyId);
const methodOf = ({ method }: Route) => method.toUpperCase();

const api = await startForFile();

let count = 0;
async function newOrganization(plan = 'scale') {
  count += 1;
  const body = { name: `Tenant ${count}`, plan };
  const response = await api.operator.call('createOrganization', { body });
  expect(response.status, response.text).toBe(201);
  const { clientId, clientSecret, ...organization } = response.data;
  return { ...organization, credentials: { clientId, clientSecret } };
}

describe('without the operator key', () => {
  it.each(named)('%s is refused and changes nothing', async (_, route) => {
    const before = await tablesOf(api.server.database);
    const wrong = callerOf(api.server.url, `${api.operator.token}0`, '');
    for (const caller of [api, wrong]) {
      const response = await caller.send(methodOf(route), pathOf(route));
      expect(response.outcome).toBe('401 UNAUTHORIZED');
    }
    const response = await api.visit(pathOf(route), { method: methodOf(route) });
    expect(response.outcome).toBe('401 UNAUTHORIZED');
    expect(response.headers.get('www-authenticate')).toBe('Bearer');
    expect(await tablesOf(api.server.database)).toEqual(before);
    // Wrong keys are limited.
    api.clock.advance(60_000);
  });

  it('the routes do not exist on a server that has no operator key', async () => {
    const plain = await startForTest({ operatorKey: undefined });
    const nothing = (text: string) => text.replace(/"requestId":"[^"]*"/, '');
    for (const route of routes) {
      for (const caller of [plain, plain.operator]) {
        const path = pathOf(route);
        const response = await caller.send(methodOf(route), path);
        expect(response.outcome).toBe('404 NOT_FOUND');
        const other = await caller.send(methodOf(route), `${path}-no-route`);
        expect(nothing(other.text).replace('-no-route', '')).toBe(nothing(response.text));
      }
    }
  });

  it('too many wrong keys block the address, also for the right key and for sign-ins', async () => {
    const own = await startForTest();
    const wrong = callerOf(own.server.url, 'a-wrong-operator-key-0123456789abcdef', '');
    const outcomes = [];
    for (let at = 0; at < 31; at += 1) {
      outcomes.push((await wrong.call('listOrganizations')).outcome);
    }
    expect(outcomes.slice(0, 30)).toEqual(Array.from({ length: 30 }, () => '401 UNAUTHORIZED'));
    expect(outcomes[30]).toBe('429 RATE_LIMITED');
    const blocked = await own.operator.call('listOrganizations');
    expect(blocked.outcome).toBe('429 RATE_LIMITED');
    expect(Number(blocked.headers.get('retry-after'))).toBeGreaterThan(0);
    own.clock.advance(60_000);
    expect((await own.operator.call('listOrganizations')).status).toBe(200);
  });

  it('the operator key is no access token', async () => {
    expect((await api.operator.call('listUrls')).outcome).toBe('401 UNAUTHORIZED');
  });
});

describe('organizations', () => {
  it('are created with a client, which signs in', async () => {
    const { credentials, ...organization } = await newOrganization('developer');
    expect(organization).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      name: `Tenant ${count}`,
      plan: 'developer',
      activeUrls: 0,
      createdAt: new Date(api.clock()).toISOString(),
      suspendedAt: null,
      deletedAt: null,
    });
    const caller = await api.signIn(credentials);
    expect((await caller.call('getMe')).data).toMatchObject({
      organization: { id: organization.id, name: organization.name, plan: 'developer' },
    });
    const params = { id: organization.id };
    expect((await api.operator.call('getOrganization', { params })).data).toEqual(organization);
  });

  it('are renamed and get another plan at once', async () => {
    const { id, credentials } = await newOrganization('free');
    const caller = await api.signIn(credentials);
    const body = { name: 'New name', plan: 'scale' };
    const changed = await api.operator.call('updateOrganization', { params: { id }, body });
    expect(changed.data).toMatchObject({ id, ...body });
    expect((await caller.call('getMe')).data.organization).toEqual({ id, ...body });
    expect((await caller.call('getUsage')).data.plan).toBe('scale');
  });
});

describe('a suspended organization', () => {
  const suspend = (id: string, isSuspended: boolean) =>
    api.operator.call('updateOrganization', { params: { id }, body: { isSuspended } });

  it('has no API, neither by tokens nor by keys nor by new tokens, until it is resumed', async () => {
    const { id, credentials } = await newOrganization();
    const caller = await api.signIn(credentials);
    const body = { scopes: ['keys:write', 'urls:read'] };
    const granted = await api.operator.call('createClient', { params: { id }, body });
    const admin = await api.signIn({
      clientId: granted.data.id,
      clientSecret: granted.data.clientSecret,
    });
    const { key } = (await admin.call('createApiKey', { body: { name: 'a key' } })).data;
    const withKey = callerOf(api.server.url, key, id);
    const suspendedAt = new Date(api.clock()).toISOString();
    expect((await suspend(id, true)).data.suspendedAt).toBe(suspendedAt);
    for (const each of [caller, withKey]) {
      const refused = await each.call('listUrls');
      expect(refused.outcome).toBe('403 ORGANIZATION_SUSPENDED');
      expect(refused.error.message).toContain(suspendedAt);
    }
    const token = await requestToken(api.server.url, credentials);
    expect(token.outcome).toBe('403 ORGANIZATION_SUSPENDED');
    const form = await fetch(`${api.server.url}/api/v1/auth/token`, {
      method: 'POST',
      body: new URLSearchParams({
        grant_type: 'client_credentials',
        client_id: credentials.clientId,
        client_secret: credentials.clientSecret,
      }),
    });
    expect([form.status, ((await form.json()) as { error: string }).error]).toEqual([
      400,
      'unauthorized_client',
    ]);
    expect((await suspend(id, false)).data.suspendedAt).toBeNull();
    for (const each of [caller, withKey]) expect((await each.call('listUrls')).status).toBe(200);
  });

  it('has no redirects until it is resumed; those of others go on', async () => {
    const { id, credentials } = await newOrganization();
    const caller = await api.signIn(credentials);
    const target = { body: { targetUrl: 'https://example.com/' } };
    const { shortCode } = (await caller.call('createUrl', target)).data;
    const other = (await api.call('createUrl', target)).data.shortCode;
    const status = async (code: string) => (await api.visit(`/${code}`)).status;
    expect([await status(shortCode), await status(other)]).toEqual([307, 307]);
    await suspend(id, true);
    expect([await status(shortCode), await status(other)]).toEqual([410, 307]);
    await suspend(id, false);
    expect([await status(shortCode), await status(other)]).toEqual([307, 307]);
  });

  it('has no images and previews of QR codes until it is resumed; those of others stay', async () => {
    const { id, credentials } = await newOrganization();
    const caller = await api.signIn(credentials);
    const create = async (owner: Pick<TestServer, 'call'>) =>
      (await owner.call('createQr', { body: { data: 'a text' } })).data;
    const [own, other] = [await create(caller), await create(api)];
    const outcomes = async () => [
      (await api.visit(own.downloadUrl)).status,
      (await api.visit(own.previewUrl)).status,
      (await api.visit(other.downloadUrl)).status,
    ];
    expect(await outcomes()).toEqual([200, 200, 200]);
    await suspend(id, true);
    expect(await outcomes()).toEqual([410, 410, 200]);
    expect((await api.visit(own.downloadUrl)).outcome).toBe('410 GONE');
    expect((await api.visit(own.previewUrl)).text).toContain('This QR code is not active');
    await suspend(id, false);
    expect(await outcomes()).toEqual([200, 200, 200]);
  });
});

describe('clients of an organization', () => {
  it('are created, listed and revoked', async () => {
    const { id, credentials } = await newOrganization();
    const params = { id };
    api.clock.advance(1);
    const body = { name: 'import job', scopes: ['urls:read', 'urls:read'] };
    const { clientSecret, ...client } = (await api.operator.call('createClient', { params, body }))
      .data;
    expect(client).toEqual({
      id: expect.stringMatching(/^shorty_ci_/),
      name: 'import job',
      scopes: ['urls:read'],
      createdAt: new Date(api.clock()).toISOString(),
      revokedAt: null,
    });
    const list = async () => (await api.operator.call('listClients', { params })).data.items;
    expect((await list()).map((each) => each.id)).toEqual([client.id, credentials.clientId]);
    const caller = await api.signIn({ clientId: client.id, clientSecret });
    expect((await caller.call('listUrls')).status).toBe(200);

    const ofClient = { ...params, clientId: client.id };
    const revoked = await api.operator.call('revokeClient', { params: ofClient });
    expect(revoked.data.revokedAt).toBe(new Date(api.clock()).toISOString());
    expect((await caller.call('listUrls')).outcome).toBe('401 UNAUTHORIZED');
    api.clock.advance(1);
    const again = await api.operator.call('revokeClient', { params: ofClient });
    expect(again.data).toEqual(revoked.data);
  });

  it('of another organization look nonexistent', async () => {
    const { credentials } = await newOrganization();
    const { id } = await newOrganization();
    // PostgreSQL cannot compare U+0000.
    for (const clientId of [credentials.clientId, 'a\0b']) {
      const params = { id, clientId };
      expect((await api.operator.call('revokeClient', { params })).outcome).toBe('404 NOT_FOUND');
    }
    await api.signIn(credentials);
  });

  it('are at most 100', async () => {
    const { id } = await newOrganization();
    const make = () => api.operator.call('createClient', { params: { id }, body: {} });
    const made = await Promise.all(Array.from({ length: 99 }, make));
    expect(new Set(made.map(({ status }) => status))).toEqual(new Set([201]));
    expect(made[0]?.data.scopes).not.toContain('keys:write');
    const refused = await make();
    expect(refused.outcome).toBe('402 QUOTA_EXCEEDED');
  });
});

it('API keys of an organization are listed and revoked', async () => {
  const { id } = await newOrganization();
  const body = { scopes: ['keys:write', 'urls:read'] };
  const { data } = await api.operator.call('createClient', { params: { id }, body });
  const client = await api.signIn({ clientId: data.id, clientSecret: data.clientSecret });
  const { key, ...made } = (await client.call('createApiKey', { body: { name: 'a' } })).data;
  const withKey = callerOf(api.server.url, key, id);
  const params = { id, keyId: made.id };
  const list = await api.operator.call('listOrganizationApiKeys', { params: { id } });
  expect(list.data.items).toEqual([made]);
  expect((await withKey.call('listUrls')).status).toBe(200);
  const revoked = await api.operator.call('deleteOrganizationApiKey', { params });
  expect(revoked.status).toBe(200);
  expect((await withKey.call('listUrls')).outcome).toBe('401 UNAUTHORIZED');
  const again = await api.operator.call('deleteOrganizationApiKey', { params });
  expect(again.outcome).toBe('404 NOT_FOUND');
});

it('usage of all organizations has the figures that each reads itself', async () => {
  const own = await startForTest();
  const made = await own.operator.call('createOrganization', {
    body: { name: 'Acme', plan: 'developer' },
  });
  const { clientId, clientSecret, id } = made.data;
  const caller = await own.signIn({ clientId, clientSecret });
  await caller.call('createUrl', { body: { targetUrl: 'https://example.com/' } });
  await caller.call('createQr', { body: { data: 'a text' } });
  await expect
    .poll(async () => {
      const { data } = await own.operator.call('listUsage');
      return data.items.find((each) => each.organization.id === id);
    })
    .toMatchObject({
      organization: { id, name: 'Acme' },
      plan: 'developer',
      links: { used: 1, included: 10_000 },
      meters: { api_call: { used: 2 }, qr_generated: { used: 1, included: 1_000 } },
    });
  const query = { period: '2029-12', limit: 1 };
  const { data } = await own.operator.call('listUsage', { query });
  expect(data).toMatchObject({ total: 2, items: [{ period: '2029-12' }] });
  const next = { ...query, after: data.nextAfter as string };
  expect((await own.operator.call('listUsage', { query: next })).data.items).toHaveLength(1);
});
