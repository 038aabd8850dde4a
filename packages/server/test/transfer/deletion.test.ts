import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { openDamagedLines } from '../../src/analytics/journal/damaged-lines.js';
import { journalRootOf, segmentPath } from '../../src/analytics/journal/journal-folder.js';
import { toLine } from '../../src/analytics/journal/journal-lines.js';
import { createServer } from '../../src/create-server.js';
import { deleteOrganizations } from '../../src/deletion/delete-organization.js';
import { createOrganizationRepository } from '../../src/organizations/organization-repository.js';
import { clicksOf } from '../analytics/stored-visits.js';
import { makeVisit } from '../analytics/visit-store.js';
import { person, requestToken, startForTest, type TestServer } from '../api/start-server.js';
import { databaseForTest } from '../engine.js';

const mark = 'zebrafish';
const targetUrl = `https://${mark}.example/`;

const fail = (error: unknown) => {
  throw error;
};

async function start() {
  const empty = await databaseForTest();
  const api = await startForTest({ ...empty, rateLimit: 0, allowPrivateNetwork: true });
  return { api, ...empty };
}

/** Creates an organization with everything that a tenant makes over HTTP. Each text has the mark. */
async function createTenant(api: TestServer) {
  const created = await api.operator.call('createOrganization', {
    body: { name: `${mark} Ltd`, plan: 'scale' },
    headers: { 'idempotency-key': mark },
  });
  const { id, clientId, clientSecret } = created.data;
  const caller = await api.signIn({ clientId, clientSecret });
  const domain = await api.addDomain(`${mark}.example.com`, caller);
  await caller.call('createWebhook', {
    body: { url: `http://127.0.0.1:2/${mark}`, events: ['url.created', 'url.clicked'] },
  });
  const link = await caller.call('createUrl', {
    body: { targetUrl, customSlug: `${mark}-sale`, title: mark, tags: [mark] },
    headers: { 'idempotency-key': mark },
  });
  expect(link.status, link.text).toBe(201);
  await caller.call('createUrl', { body: { targetUrl, domainId: domain.id } });
  await caller.call('createQr', { body: { urlId: Number(link.data.id) } });
  await caller.call('createQr', { body: { data: mark } });
  await caller.call('renameTag', { params: { tag: mark }, body: { name: `${mark}2` } });
  const visits = [`/${mark}-sale`, `/${link.data.shortCode}`];
  for (const path of visits) {
    const headers = { ...person, referer: `https://${mark}.example/page` };
    expect((await api.visit(path, { headers })).status).toBe(307);
  }
  const urlId = Number(link.data.id);
  await expect.poll(() => clicksOf(api.server.database, urlId)).toBe(visits.length);
  return { id, caller, urlId, shortCode: link.data.shortCode, credentials: created.data };
}

const statusOf = async (api: TestServer, id: string) =>
  (await api.operator.call('getOrganization', { params: { id } })).status;

async function deleteTenant(api: TestServer, id: string): Promise<void> {
  const body = { confirm: id };
  const deleted = await api.operator.call('deleteOrganization', { params: { id }, body });
  expect(deleted.status, deleted.text).toBe(202);
  await expect.poll(() => statusOf(api, id), { timeout: 20_000 }).toBe(404);
}

it('a deletion must be confirmed, refuses calls at once, and cannot be taken back', async () => {
  const { api } = await start();
  const { id, caller, shortCode, credentials } = await createTenant(api);
  const params = { id };
  for (const confirm of [mark, `${mark} ltd`, caller.token.slice(0, 50)]) {
    const refused = await api.operator.call('deleteOrganization', { params, body: { confirm } });
    expect(refused.outcome).toBe('400 VALIDATION_FAILED');
    expect(refused.text).toContain(`confirm is \\"${confirm}\\", but must be the id or the name`);
  }
  expect((await api.operator.call('deleteOrganization', { params, body: {} })).outcome).toBe(
    '400 VALIDATION_FAILED',
  );
  expect((await caller.call('getMe')).status).toBe(200);

  const body = { confirm: `${mark} Ltd` };
  const deleted = await api.operator.call('deleteOrganization', { params, body });
  expect(deleted.status).toBe(202);
  expect(deleted.data).toEqual({ id, deletedAt: new Date(api.clock()).toISOString() });
  expect((await caller.call('getMe')).outcome).toMatch(/^403 ORGANIZATION_SUSPENDED|^401/);
  expect([404, 410]).toContain((await api.visit(`/${shortCode}`)).status);
  const resume = await api.operator.call('updateOrganization', {
    params,
    body: { isSuspended: false },
  });
  expect(resume.outcome).toBe('404 NOT_FOUND');
  const client = await api.operator.call('createClient', { params, body: {} });
  expect(client.outcome).toBe('404 NOT_FOUND');

  await expect.poll(() => statusOf(api, id), { timeout: 20_000 }).toBe(404);
  const gone = await api.operator.call('deleteOrganization', { params, body: { confirm: id } });
  expect(gone.outcome).toBe('404 NOT_FOUND');
  expect((await caller.call('getMe')).outcome).toBe('401 UNAUTHORIZED');
  const { clientId, clientSecret } = credentials;
  const token = await requestToken(api.server.url, { clientId, clientSecret });
  expect(token.outcome).toBe('401 UNAUTHORIZED');
  expect((await api.visit(`/${shortCode}`)).status).toBe(404);
  const audit = await api.operator.call('listAllAuditEntries', { query: { resource: id } });
  expect(audit.data.items).toMatchObject([
    { operation: 'deleteOrganization', organizationId: null, actor: { type: 'operator' } },
  ]);
});

it('its short codes and slugs lead nowhere, and no other link gets them', async () => {
  const { api } = await start();
  const { id, shortCode } = await createTenant(api);
  await deleteTenant(api, id);
  for (const customSlug of [`${mark}-sale`, shortCode]) {
    const body = { targetUrl: 'https://other.example/', customSlug };
    expect((await api.call('createUrl', { body })).outcome).toBe('409 SLUG_CONFLICT');
    const bulk = await api.call('bulkCreateUrls', { body: { urls: [body] } });
    expect(bulk.data.errors).toMatchObject([{ code: 'SLUG_CONFLICT' }]);
    expect((await api.visit(`/${customSlug}`)).status).toBe(404);
  }
  const free = { targetUrl: 'https://other.example/', customSlug: 'still-free' };
  expect((await api.call('createUrl', { body: free })).status).toBe(201);
});

it('lines of journals that are found later are dropped, and other unknown ones are not', async () => {
  const { api, databaseUrl, journalFolder } = await start();
  const { id, caller, urlId } = await createTenant(api);
  await deleteTenant(api, id);
  const root = journalRootOf({ databaseUrl, journalFolder }) as string;
  const folder = join(root, 'ended-writer');
  const lines = [
    toLine(makeVisit({ urlId })),
    toLine(makeVisit({ urlId: 999_999 })),
    toLine({ call: caller.organizationId, at: api.clock() }),
  ];
  // A folder without a lock is that of a process that has ended.
  mkdirSync(folder, { recursive: true });
  writeFileSync(segmentPath(folder, 1), lines.join(''));
  await expect
    .poll(() => readdirSync(root).includes('ended-writer'), { timeout: 30_000 })
    .toBe(false);
  expect(openDamagedLines(root).count()).toBe(1);
  expect(await clicksOf(api.server.database, urlId)).toBe(0);
  expect(await api.server.database.read.selectFrom('visits').select('id').execute()).toEqual([]);
});

it('no start creates an organization again after the last one was deleted', async () => {
  const settings = await databaseForTest();
  const startedOnce = async () => {
    const server = createServer(settings);
    onTestFinished(() => server.stop());
    await server.start();
    return server;
  };
  const first = await startedOnce();
  expect(first.credentials).toBeDefined();
  const organizations = createOrganizationRepository(first.database);
  const [created] = await organizations.list();
  const id = String(created?.id);
  await organizations.markDeleted(id, id, Date.now(), undefined);
  await deleteOrganizations(first.database, fail);
  await first.stop();

  const second = await startedOnce();
  expect(second.credentials).toBeUndefined();
  expect(await createOrganizationRepository(second.database).list()).toEqual([]);
  await second.stop();
});
