import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { startServer, type TestServer } from './start-server.js';

let api: TestServer;
beforeAll(async () => {
  api = await startServer();
});
afterAll(() => api.stop());

const reason = 'a reason';
const encoded = (host: string) => ({ params: { host: encodeURIComponent(host) } });
const block = async (host: string, more = {}) => {
  const response = await api.operator.call('blockHost', { body: { host, reason, ...more } });
  onTestFinished(async () => {
    await api.operator.call('unblockHost', encoded(host));
  });
  return response;
};
const allow = async (host: string, more = {}) => {
  const response = await api.operator.call('allowHost', { body: { host, reason, ...more } });
  onTestFinished(async () => {
    await api.operator.call('disallowHost', encoded(host));
  });
  return response;
};
const create = (body: object) => api.call('createUrl', { body });
const statusOf = async (targetUrl: string) => (await create({ targetUrl })).status;
const visit = async ({ shortCode }: { readonly shortCode: string }) =>
  (await api.visit(`/${shortCode}`)).status;

it('with * blocked, links lead to allowed hosts only, and existing ones stop', async () => {
  const { data: inside } = await create({ targetUrl: 'https://www.example.com/' });
  const { data: outside } = await create({ targetUrl: 'https://other.example/' });
  expect((await block('*')).data.host).toBe('*');
  expect([await visit(inside), await visit(outside)]).toEqual([451, 451]);
  expect((await allow('Example.COM.')).data).toMatchObject({ host: 'example.com', reason });
  expect([await visit(inside), await visit(outside)]).toEqual([307, 451]);

  const bad = 'https://other.example/x';
  const rule = 'must lead to a host that the operator of this server allows';
  const good = 'https://docs.example.com/';
  const rules = [
    { when: { country: ['DE'] }, targetUrl: good },
    {
      when: { device: ['mobile'] },
      variants: [
        { targetUrl: good, weight: 1 },
        { targetUrl: bad, weight: 1 },
      ],
    },
  ];
  for (const [path, body] of [
    ['targetUrl', { targetUrl: bad }],
    ['expiredUrl', { targetUrl: good, expiredUrl: bad }],
    ['rules[1].variants[1].targetUrl', { targetUrl: good, rules }],
  ] as const) {
    const refused = await create(body);
    expect(refused.outcome, path).toBe('400 VALIDATION_FAILED');
    expect(refused.error.details).toEqual([{ path, message: `${bad} ${rule}` }]);
  }
  const params = { id: inside.id };
  const changed = await api.call('updateUrl', { params, body: { targetUrl: bad } });
  expect(changed.error.details).toEqual([{ path: 'targetUrl', message: `${bad} ${rule}` }]);
  const upserted = await api.call('upsertUrl', {
    params: { externalId: 'order-1' },
    body: { targetUrl: bad },
  });
  expect(upserted.outcome).toBe('400 VALIDATION_FAILED');
  const urls = [{ targetUrl: bad }, { targetUrl: good }];
  const bulk = await api.call('bulkCreateUrls', { body: { urls } });
  expect(bulk.data).toMatchObject({ createdCount: 1, errors: [{ index: 0 }] });
  const updates = [{ id: inside.id, targetUrl: bad }];
  const bulkUpdate = await api.call('bulkUpdateUrls', { body: { updates } });
  expect(bulkUpdate.data.errors).toMatchObject([{ error: `targetUrl ${bad} ${rule}` }]);
  const domain = await api.call('createDomain', { body: { hostname: 'go.rules.example' } });
  const settings = { params: { id: domain.data.id }, body: { notFoundUrl: bad } };
  const domainUpdate = await api.call('updateDomain', settings);
  expect(domainUpdate.error.details).toEqual([{ path: 'notFoundUrl', message: rule }]);

  expect((await api.operator.call('unblockHost', encoded('*'))).status).toBe(200);
  expect([await visit(inside), await visit(outside)]).toEqual([307, 307]);
});

it('the rule of the longest name decides, and a host has one rule', async () => {
  await block('evil.example');
  await allow('good.evil.example');
  expect(await statusOf('https://evil.example/')).toBe(400);
  expect(await statusOf('https://a.good.evil.example/')).toBe(201);
  await block('good.evil.example');
  expect(await statusOf('https://a.good.evil.example/')).toBe(400);
  const list = async (id: 'listAllowedHosts' | 'listBlockedHosts') =>
    (await api.operator.call(id)).data.items.map(({ host }) => host).sort();
  expect(await list('listAllowedHosts')).toEqual([]);
  expect(await list('listBlockedHosts')).toEqual(['evil.example', 'good.evil.example']);
  const disallowed = await api.operator.call('disallowHost', encoded('good.evil.example'));
  expect(disallowed.outcome).toBe('404 NOT_FOUND');
});

it('a public suffix needs a statement, and * cannot be allowed', async () => {
  for (const host of ['co.uk', 'GitHub.io.', 'zip']) {
    const refused = await block(host);
    expect(refused.outcome).toBe('400 VALIDATION_FAILED');
    expect(refused.error.details?.[0]).toMatchObject({ path: 'host' });
    expect(refused.text).toContain('send publicSuffix: true');
  }
  expect((await block('github.io', { publicSuffix: true })).status).toBe(201);
  expect(await statusOf('https://acme.github.io/')).toBe(400);
  expect((await allow('acme.github.io')).status).toBe(201);
  expect(await statusOf('https://acme.github.io/')).toBe(201);
  expect((await allow('*')).error.details?.[0]?.message).toContain('cannot be allowed');
});

it('changes are in the audit log', async () => {
  await allow('audited.example');
  const query = { resource: 'audited.example' };
  const audit = await api.operator.call('listAllAuditEntries', { query });
  expect(audit.data.items).toMatchObject([
    { operation: 'allowHost', resource: { type: 'allowedHost', id: 'audited.example' } },
  ]);
});
