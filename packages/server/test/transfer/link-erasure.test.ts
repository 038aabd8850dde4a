import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { v7 as newUuid } from 'uuid';
import { expect, it } from 'vitest';
import { eraseVisits } from '../../src/analytics/ingest/erase-visits.js';
import { journalRootOf } from '../../src/analytics/journal/journal-folder.js';
import { journalStart, toLine } from '../../src/analytics/journal/journal-lines.js';
import { eraseLink, isLinkErasurePending } from '../../src/deletion/erase-link.js';
import { createEventOutbox } from '../../src/events/event-outbox.js';
import { exportOrganization } from '../../src/operations/transfer/export-organization.js';
import { importOrganization } from '../../src/operations/transfer/import-organization.js';
import { findWrongLinkCounters } from '../../src/organizations/link-quota.js';
import type { Database } from '../../src/storage/database.js';
import { urlRecorder } from '../../src/urls/url-events.js';
import { beginErasure } from '../../src/urls/url-life-cycle.js';
import {
  clicksOf,
  expectSoundVisits,
  readKilled,
  visitRepositoryOn,
} from '../analytics/stored-visits.js';
import { makeVisit } from '../analytics/visit-store.js';
import { type Caller, person, startForTest, type TestServer } from '../api/start-server.js';
import { visitHost } from '../api/visit-host.js';
import { databaseForTest, engine } from '../engine.js';
import { scratchFolder } from '../scratch-folder.js';
import { filesWith, rowsWith } from '../storage/rows-with.js';

const mark = 'zebrafish';

async function start() {
  const empty = await databaseForTest();
  const api = await startForTest({ ...empty, rateLimit: 0, allowPrivateNetwork: true });
  return { api, ...empty };
}

/** Creates a link whose every text has the mark, with codes, events, stored results and visits. */
async function createLink(api: TestServer) {
  await api.call('createWebhook', {
    body: { url: 'http://127.0.0.1:2/', events: ['*', 'url.clicked'] },
  });
  const targetUrl = `https://${mark}.example/`;
  const created = await api.call('createUrl', {
    body: {
      targetUrl,
      customSlug: 'spring-sale',
      externalId: `${mark}-1`,
      title: mark,
      description: mark,
      category: mark,
      tags: [mark],
      expiredUrl: targetUrl,
      sourceDomain: `${mark}.example`,
      utmSource: mark,
      customUtmParams: { ref: mark },
      rules: [{ name: mark, when: { country: ['DE'] }, targetUrl }],
      preview: { title: mark, description: mark, imageUrl: targetUrl },
    },
    headers: { 'idempotency-key': 'create' },
  });
  expect(created.status, created.text).toBe(201);
  const { id, shortCode } = created.data;
  const write = async (response: Promise<{ readonly status: number; readonly text: string }>) => {
    const { status, text } = await response;
    expect(status, text).toBeLessThan(300);
  };
  const headers = { 'idempotency-key': 'update' };
  await write(api.call('updateUrl', { params: { id }, body: { title: `${mark} 2` }, headers }));
  const updates = [{ id, title: `${mark} 3` }];
  await write(
    api.call('bulkUpdateUrls', { body: { updates }, headers: { 'idempotency-key': 'bulk' } }),
  );
  const qr = { urlId: Number(id), size: 300 };
  await write(api.call('createQr', { body: qr, headers: { 'idempotency-key': 'qr' } }));
  const takedown = { shortUrl: 'spring-sale', reason: mark };
  const taken = { 'idempotency-key': 'take' };
  await write(api.operator.call('takeDownUrl', { body: takedown, headers: taken }));
  await write(api.operator.call('undoTakedown', { params: { id } }));
  return { id, urlId: Number(id), shortCode };
}

async function visit(api: TestServer, key: string, times = 1, from = mark): Promise<void> {
  for (let time = 0; time < times; time += 1) {
    const headers = { ...person, referer: `https://${from}.example/page` };
    expect((await api.visit(`/${key}`, { headers })).status).toBe(307);
  }
}

const erase = (caller: Caller, id: string, headers = {}) =>
  caller.call('deleteUrl', { params: { id }, query: { erase: true }, headers });

async function expectNoErrors(database: Database): Promise<void> {
  await expectSoundVisits(database);
  expect(await findWrongLinkCounters(database)).toEqual([]);
}

it('of the link, only what expires by itself remains', async () => {
  const { api, databaseUrl } = await start();
  const { database } = api.server;
  const { id, urlId, shortCode } = await createLink(api);
  const other = await api.createLink({ targetUrl: 'https://other.example/' });
  await visit(api, 'spring-sale', 3);
  await visit(api, other.shortCode, 2, 'elsewhere');
  const eventsWithVisits = async () =>
    (await rowsWith(database, '"urlId"')).filter((row) => /^events/.test(row));
  await expect.poll(() => clicksOf(database, urlId)).toBe(3);
  await expect.poll(() => clicksOf(database, Number(other.id))).toBe(2);
  await expect.poll(async () => (await eventsWithVisits()).length).toBeGreaterThan(0);
  api.clock.advance(2_000);
  const usage = (await api.call('getUsage')).data;
  const tables = (await rowsWith(database, mark)).map((row) => row.split(':')[0]);
  expect(new Set(tables)).toEqual(
    expect.objectContaining(new Set(['urls', 'events', 'idempotency_keys', 'visits'])),
  );

  const erased = await erase(api, id, { 'idempotency-key': 'erase' });
  expect(erased.status, erased.text).toBe(200);
  expect(erased.data).toMatchObject({
    id,
    shortCode,
    customSlug: 'spring-sale',
    targetUrl: '',
    title: null,
    tags: [],
    rules: [],
    isActive: false,
  });
  expect(erased.text).not.toContain(mark);
  const deleted = await api.call('listEvents', { query: { type: 'url.deleted' } });
  expect(deleted.data.items.map(({ data }) => data)).toMatchObject([
    { id, shortCode, customSlug: 'spring-sale', targetUrl: '', tags: [], isErased: true },
  ]);
  for (const text of [mark, 'spring-sale']) {
    for (const row of await rowsWith(database, text)) {
      expect(row).toMatch(/^(events|idempotency_keys): /);
    }
  }

  // Lists, counts and usage.
  expect((await api.call('getUrl', { params: { id } })).outcome).toBe('404 NOT_FOUND');
  expect((await api.call('listUrls')).data).toMatchObject({ total: 1, items: [{ id: other.id }] });
  expect((await api.call('listQrs')).data.total).toBe(0);
  expect((await api.call('listTags')).data.total).toBe(0);
  expect((await api.call('listUrls', { query: { search: mark } })).data.total).toBe(0);
  const overview = await api.call('getAnalyticsOverview', { query: { since: '1970-01-01' } });
  expect(overview.data.totals).toMatchObject({ totalUrls: 1, activeUrls: 1, totalClicks: 2 });
  const after = (await api.call('getUsage')).data;
  expect(after.meters.qr_generated).toEqual(usage.meters.qr_generated);
  expect(after.links.used).toBe(usage.links.used - 1);
  expect((await api.getLink(other.id)).clickCount).toBe(2);
  await expectNoErrors(database);

  // Repetitions.
  const again = await erase(api, id, { 'idempotency-key': 'erase' });
  expect([again.text, again.headers.get('idempotent-replayed')]).toEqual([erased.text, 'true']);
  expect((await erase(api, id)).outcome).toBe('404 NOT_FOUND');
  if (engine() === 'postgres') return;
  await api.stop();
  const root = journalRootOf({ databaseUrl, journalFolder: '' }) as string;
  expect(filesWith(root, mark)).toEqual([]);
});

it('the slug and the short code are unknown and stay taken, also on a custom domain', async () => {
  const { api } = await start();
  const hostname = 'go.example.com';
  const { id: domainId } = await api.addDomain(hostname);
  const stranger = await api.newcomer('scale');
  const body = { targetUrl: 'https://a.example/', customSlug: 'taken-one' };
  const platform = await api.createLink(body);
  const moved = await api.call('createUrl', { body: { ...body, customSlug: 'taken-two' } });
  const params = { id: moved.data.id };
  expect((await api.call('updateUrl', { params, body: { domainId } })).status).toBe(200);
  const pageOf = async (path: string, host?: string) => {
    const { status, text, headers } = await api.visit(path, {
      headers: { accept: 'text/html', ...(host && { host }) },
    });
    return { status, text, type: headers.get('content-type') };
  };
  expect((await pageOf('/taken-one')).status).toBe(307);
  for (const id of [platform.id, moved.data.id]) expect((await erase(api, id)).status).toBe(200);
  const unknown = await pageOf('/unknown');
  expect(unknown.status).toBe(404);
  for (const path of [
    '/taken-one',
    `/${platform.shortCode}`,
    '/taken-two',
    `/${moved.data.shortCode}`,
  ]) {
    expect(await pageOf(path), path).toEqual(unknown);
    const customSlug = path.slice(1);
    for (const caller of [api, stranger]) {
      const taken = { ...body, customSlug };
      expect((await caller.call('createUrl', { body: taken })).outcome).toBe('409 SLUG_CONFLICT');
    }
  }
  // The link has left its keys on both domains.
  const onHost = await visitHost(api.server.url, hostname, '/taken-two');
  expect(onHost.status).toBe(404);
  const onDomain = { ...body, customSlug: 'taken-two', domainId };
  expect((await api.call('createUrl', { body: onDomain })).outcome).toBe('409 SLUG_CONFLICT');
  const free = { ...body, customSlug: 'taken-one', domainId };
  expect((await api.call('createUrl', { body: free })).status).toBe(201);
  expect((await pageOf('/never-used')).status).toBe(404);
});

it('needs the scope urls:erase, which no client and no key has by default', async () => {
  const { api } = await start();
  const body = { targetUrl: 'https://a.example/' };
  const { id } = await api.createLink(body);
  const writer = await api.signIn(api.credentials, 'urls:write urls:read');
  const refused = await erase(writer, id);
  expect(refused.outcome).toBe('403 INSUFFICIENT_SCOPE');
  expect(refused.text).toContain('needs the scope urls:erase');
  const key = await api.call('createApiKey', { body: { name: 'default' } });
  expect(key.data.scopes).not.toContain('urls:erase');
  const scopes = ['urls:erase'];
  expect((await api.call('createApiKey', { body: { name: 'eraser', scopes } })).status).toBe(201);
  const eraser = await api.signIn(api.credentials, 'urls:erase');
  const plain = await eraser.call('deleteUrl', { params: { id } });
  expect(plain.text).toContain('needs the scope urls:write');
  const stranger = await api.signIn(await api.createOrganization('scale'), 'urls:erase');
  expect((await erase(stranger, id)).outcome).toBe('404 NOT_FOUND');
  const stale = await erase(eraser, id, { 'if-match': '"1"' });
  expect(stale.outcome).toBe('412 PRECONDITION_FAILED');
  expect((await erase(eraser, id)).status).toBe(200);
});

it('visits that are stored later are dropped', async () => {
  const { api, databaseUrl, journalFolder } = await start();
  const { database } = api.server;
  const { id, urlId } = await createLink(api);
  const late = (after: number) => makeVisit({ urlId, visitedAt: api.clock() + after });
  expect((await erase(api, id)).status).toBe(200);
  const stored = await visitRepositoryOn(database).store(
    'other-node',
    journalStart,
    { segment: 1, offset: 1 },
    { visits: [late(-1), late(60_000)] },
    api.clock(),
  );
  expect(stored).toBe(true);
  const root = journalRootOf({ databaseUrl, journalFolder }) as string;
  await readKilled(database, root, api.clock, [toLine(late(120_000))]);
  expect(await database.read.selectFrom('visits').select('id').execute()).toEqual([]);
  expect(await clicksOf(database, urlId)).toBe(0);
});

it('an erasure that stops after any transaction is continued', async () => {
  const { api } = await start();
  const { database } = api.server;
  const { urlId, id, shortCode } = await createLink(api);
  // By its code: the request evicts the slug from the cache, and `beginOnly` does not.
  await visit(api, shortCode, 2);
  await expect.poll(() => clicksOf(database, urlId)).toBe(2);
  // The periodic job of the server would do all of it.
  const { organizationId } = api;
  await beginOnly(api, id);
  expect((await api.call('getUrl', { params: { id } })).outcome).toBe('404 NOT_FOUND');
  const restored = await api.call('restoreUrl', { params: { id } });
  expect(restored.outcome).toBe('404 NOT_FOUND');
  expect((await api.visit('/spring-sale')).status).toBe(404);
  let stops = 0;
  for (; await isLinkErasurePending(database, urlId); stops += 1) {
    let writes = 0;
    const killed: Database = {
      ...database,
      async writeDirectly(work, lock) {
        if (writes > stops) throw new Error('killed');
        writes += 1;
        return database.writeDirectly(work, lock);
      },
    };
    await eraseVisits(killed).catch(() => {});
    await eraseLink(killed, { urlId, organizationId }).catch(() => {});
    expect(stops).toBeLessThan(100);
  }
  expect(stops).toBeGreaterThan(0);
  for (const row of await rowsWith(database, mark)) {
    expect(row).toMatch(/^(events|idempotency_keys): /);
  }
  expect((await api.visit('/spring-sale')).status).toBe(404);
  await expectNoErrors(database);
});

/** Exports the organization of a server to a file. */
async function exportTo(api: TestServer): Promise<string> {
  const path = join(scratchFolder(), 'exported');
  await exportOrganization(api.server.database, api.organizationId, async (lines) => {
    for await (const line of lines) writeFileSync(path, line, { flag: 'a' });
  });
  return path;
}

/** Empties a link, as the request does, without deleting what belongs to it. */
async function beginOnly(api: TestServer, id: string): Promise<void> {
  const { organizationId, clock, server } = api;
  const data = await api.getLink(id);
  const record = urlRecorder(createEventOutbox(server.database, { newId: newUuid }), () => ({
    ...data,
    targetUrl: '',
    title: null,
  }));
  const context = { organizationId, now: clock(), write: undefined };
  const options = { database: server.database, record };
  await beginErasure(options, Number(id), () => null, context);
}

it('the keys stay taken on the server to which the organization moves', async () => {
  const { api } = await start();
  const there = (await start()).api;
  const body = { targetUrl: 'https://a.example/', customSlug: 'spring-sale' };
  const erased = await api.createLink(body);
  const other = await api.createLink({ ...body, customSlug: 'other' });
  expect((await erase(api, erased.id)).status).toBe(200);
  const { clock } = there;
  await importOrganization(there.server.database, await exportTo(api), { clock });
  for (const key of ['spring-sale', erased.shortCode]) {
    expect((await there.visit(`/${key}`)).status).toBe(404);
    const taken = { body: { ...body, customSlug: key } };
    expect((await there.call('createUrl', taken)).outcome).toBe('409 SLUG_CONFLICT');
  }
  expect((await there.visit(`/${other.customSlug}`)).status).toBe(307);
});
