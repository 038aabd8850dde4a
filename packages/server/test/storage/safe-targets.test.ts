import { expect, it, onTestFinished } from 'vitest';
import { createServer } from '../../src/create-server.js';
import type { ServerOptions } from '../../src/server-options.js';
import { startForTest } from '../api/start-server.js';
import { databaseForTest } from '../engine.js';
import { dnsServer } from '../network/dns-server.js';
import { poll } from '../poll.js';

const dayMs = 86_400_000;
const harmful = 'which the resolver that filters harmful hosts for this server blocks';

/** Starts a server with a resolver that filters harmful hosts, and one that does not. */
async function start(options: ServerOptions = {}) {
  const filter = await dnsServer();
  const plain = await dnsServer();
  const servers = { safeDns: [filter.address], dnsServers: [plain.address] };
  const api = await startForTest({ ...servers, ...options });
  for (const host of ['good.test', 'sinkhole.test', 'missing.test']) {
    plain.set(host, { addresses: ['192.0.2.1'] });
    filter.set(host, { addresses: ['192.0.2.1'] });
  }
  // As Cloudflare and as Quad9 block a host.
  const block = {
    'sinkhole.test': () => filter.set('sinkhole.test', { addresses: ['0.0.0.0', '::'] }),
    'missing.test': () => filter.set('missing.test', { rcode: 'NXDOMAIN' }),
  };
  const create = (body: object) =>
    api.call('createUrl', { body: { targetUrl: 'https://good.test/', ...body } });
  const read = api.getLink;
  return { api, filter, plain, block, create, read };
}

it('a target that the filtering resolver blocks is refused', async () => {
  const { api, filter, plain, block, create } = await start();
  block['sinkhole.test']();
  block['missing.test']();
  // takedowns.test.ts has the other fields.
  const bad = 'https://SINKHOLE.test.:8443/login';
  for (const [host, targetUrl] of [
    ['sinkhole.test', bad],
    ['missing.test', 'http://missing.test/'],
  ]) {
    const message = `${targetUrl} must not lead to ${host}, ${harmful}`;
    const refused = await create({ targetUrl });
    expect(refused.outcome).toBe('400 VALIDATION_FAILED');
    expect(refused.error.details).toEqual([{ path: 'targetUrl', message }]);
  }
  const domain = await api.addDomain('go.example.com');
  const body = { rootUrl: 'https://good.test/', notFoundUrl: bad };
  const changed = await api.call('updateDomain', { params: { id: domain.id }, body });
  const message = `${bad} must not lead to sinkhole.test, ${harmful}`;
  expect(changed.error.details).toEqual([{ path: 'notFoundUrl', message }]);
  const good = Array.from({ length: 50 }, (_, index) => `https://good.test/${index}`);
  const urls = [bad, ...good, bad];
  filter.asked.length = 0;
  const bulk = await api.call('bulkCreateUrls', {
    body: { urls: urls.map((targetUrl) => ({ targetUrl })) },
  });
  expect(bulk.data.errors).toMatchObject([{ index: 0 }, { index: 51 }]);
  // Once for each host, but a slow answer may be asked for again.
  expect(new Set(filter.asked)).toEqual(new Set(['good.test', 'sinkhole.test']));
  expect(filter.asked.length).toBeLessThan(20);
  // A host that does not exist is not blocked, and an address has no name.
  for (const server of [filter, plain]) server.set('new.test', { rcode: 'NXDOMAIN' });
  for (const targetUrl of ['https://new.test/', 'http://192.0.2.7/', 'http://[2001:db8::1]/']) {
    expect((await create({ targetUrl })).status).toBe(201);
  }
});

it('a resolver that does not answer lets targets through, and is counted', async () => {
  const { api, filter, create } = await start();
  // No answer, and an answer that says nothing about the host.
  filter.set('failing.test', { rcode: 'SERVFAIL' });
  const urls = ['https://silent.test/', 'https://failing.test/'];
  const bulk = await api.call('bulkCreateUrls', {
    body: { urls: urls.map((targetUrl) => ({ targetUrl })) },
  });
  expect(bulk.data.createdCount).toBe(2);
  expect((await create({})).status).toBe(201);
  const metrics = await (await fetch(`${api.server.url}/metrics`)).text();
  const [, count] = /^shorty_safe_dns_unanswered_total (\d+)$/m.exec(metrics) ?? [];
  // The daily check may have begun, and asks again.
  expect(Number(count)).toBeGreaterThanOrEqual(2);
});

it('links whose target becomes harmful are marked once a day, and still redirect', async () => {
  const { api, filter, plain, block, create, read } = await start();
  const link = (await create({ targetUrl: 'https://sinkhole.test/', infoPage: true })).data;
  const ruled = (await create({ rules: [{ when: {}, targetUrl: 'https://missing.test/' }] })).data;
  await create({});
  // More than one page of links.
  for (let batch = 0; batch < 2; batch += 1) {
    const urls = Array.from({ length: 60 }, () => ({ targetUrl: 'https://sinkhole.test/' }));
    await api.call('bulkCreateUrls', { body: { urls } });
  }
  await api.server.checkTargets();
  expect((await read(link.id)).targetBlockedAt).toBeNull();
  expect((await api.visit(`/${link.shortCode}+`)).status).toBe(200);
  block['sinkhole.test']();
  block['missing.test']();
  api.clock.advance(dayMs);
  filter.asked.length = 0;
  const caller = await api.signIn(api.credentials);
  const list = (isTargetBlocked: boolean) =>
    caller.call('listUrls', { query: { isTargetBlocked, limit: 1 } });
  await poll(
    'marks',
    async () => {
      await api.server.checkTargets();
      return (await list(true)).data.total;
    },
    (total) => total === 122,
  );
  expect((await list(false)).data.total).toBe(1);
  expect(new Set(filter.asked)).toEqual(new Set(['good.test', 'missing.test', 'sinkhole.test']));
  expect(filter.asked.length).toBeLessThan(20);
  expect((await api.visit(`/${link.shortCode}`)).status).toBe(307);
  expect((await api.visit(`/${link.shortCode}+`)).status).toBe(404);
  // The owner changes the rule, and the other host is unblocked.
  await caller.call('updateUrl', { params: { id: ruled.id }, body: { rules: null } });
  expect((await list(true)).data.total).toBe(121);
  filter.set('sinkhole.test', { addresses: ['192.0.2.1'] });
  plain.set('missing.test', { rcode: 'NXDOMAIN' });
  api.clock.advance(dayMs);
  const later = await api.signIn(api.credentials);
  await poll(
    'no marks',
    async () => {
      await api.server.checkTargets();
      return (await later.call('listUrls', { query: { isTargetBlocked: true } })).data.total;
    },
    (total) => total === 0,
  );
});

it('a server that starts without the resolver removes the marks', async () => {
  const empty = await databaseForTest();
  const { api, block, create } = await start(empty);
  const { id } = (await create({ targetUrl: 'https://sinkhole.test/' })).data;
  block['sinkhole.test']();
  api.clock.advance(dayMs);
  const { clock, credentials } = api;
  await poll(
    'a mark',
    async () => {
      await api.server.checkTargets();
      const caller = await api.signIn(credentials);
      return (await caller.getLink(id)).targetBlockedAt;
    },
    (at) => at !== null,
  );
  await api.stop();
  const server = createServer({ ...empty, clock });
  await server.start();
  onTestFinished(() => server.stop());
  const marked = server.database.read.selectFrom('urls').select('target_blocked_at');
  expect(await marked.execute()).toEqual([{ target_blocked_at: null }]);
});
