import { randomUUID } from 'node:crypto';
import { get } from 'node:http';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { ApiResponse } from '../../api/api-response.js';
import { contractFetch } from '../../api/contract-fetch.js';
import {
  type Caller,
  callerOf,
  person as headers,
  startForTest,
  type TestServer,
} from '../../api/start-server.js';
import { expectNoErrorsOfDoctor, serve, tokenOf } from '../../operator/server-process.js';
import { poll, thinkTime } from '../../poll.js';
import { scratchFolder } from '../../scratch-folder.js';
import { type PostgresServer, startPostgres } from '../start-postgres.js';

const targetUrl = 'https://example.com/';
// Time until an error when the server is down, and when it does not respond.
const soonMs = 4_000;
const boundedMs = 20_000;

let postgres: PostgresServer;
beforeAll(async () => {
  postgres = await startPostgres();
}, 120_000);
afterAll(() => postgres.stop());
/** The settings of the current test's servers. */
const environments: Record<string, string>[] = [];
// Restores the server after each test, and finds nothing to repair.
afterEach(async () => {
  await postgres.thaw();
  await postgres.start();
  for (const environment of environments.splice(0)) await expectNoErrorsOfDoctor(environment);
});

/** Returns the settings of a server on an empty database. */
async function newSettings() {
  const journalFolder = scratchFolder();
  const name = `outage_${randomUUID().replaceAll('-', '')}`;
  await postgres.createDatabase(name);
  const databaseUrl = postgres.urlOf(name);
  environments.push({ SHORTY_DATABASE_URL: databaseUrl, SHORTY_JOURNAL_FOLDER: journalFolder });
  return { databaseUrl, journalFolder, clock: Date.now };
}

const start = async () => startForTest(await newSettings());

/** Returns the status of a visit. `fetch` would overwrite the Host header. */
function visit(address: string, host: string | undefined): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    get(address, { headers: { ...headers, ...(host && { host }) } }, (response) => {
      response.resume();
      resolve(response.statusCode);
    }).on('error', reject);
  });
}

/** Follows a link until `stop`, and counts the redirects. */
function visitRepeatedly(api: TestServer, path: string, host?: string) {
  let answered = 0;
  let slowestMs = 0;
  let isOver = false;
  const done = (async () => {
    while (!isOver) {
      const beganAt = performance.now();
      const status = await visit(api.server.url + path, host);
      slowestMs = Math.max(slowestMs, performance.now() - beganAt);
      expect(status).toBe(307);
      answered += 1;
      await thinkTime(1);
    }
  })();
  return {
    /** Resolves after `count` more redirects; fails as soon as one fails. */
    async more(count: number) {
      const enough = answered + count;
      const redirects = poll(
        `${count} redirects`,
        () => answered,
        (many) => many >= enough,
      );
      await Promise.race([done, redirects]);
    },
    async stop() {
      isOver = true;
      await done;
      return { answered, slowestMs };
    },
  };
}

/** Sends one request of each kind: reads, writes, reports, QR codes. */
function sendEachKind(api: TestServer, id: string): Promise<ApiResponse>[] {
  const params = { id };
  return [
    api.call('listUrls'),
    api.call('getUrl', { params }),
    api.call('createUrl', { body: { targetUrl } }),
    api.call('bulkCreateUrls', { body: { urls: [{ targetUrl }, { targetUrl }] } }),
    api.call('updateUrl', { params, body: { title: 'x' } }),
    api.call('deleteUrl', { params }),
    api.call('getUrlClicks', { params }),
    api.call('createQr', { body: { urlId: Number(id), size: 200 } }),
    api.call('listWebhooks'),
    api.call('getUsage'),
  ];
}

async function expectUnavailable(responses: readonly Promise<ApiResponse>[], withinMs: number) {
  const beganAt = performance.now();
  for (const response of await Promise.all(responses)) {
    expect(response.outcome).toBe('503 UNAVAILABLE');
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
  }
  expect(performance.now() - beganAt).toBeLessThan(withinMs);
}

async function expectReadyAgain(api: TestServer) {
  const ready = async () => (await api.visit('/health/ready')).status;
  await expect.poll(ready, { timeout: 10_000, interval: 100 }).toBe(200);
}

async function expectClicks(
  api: Caller,
  id: string,
  count: number,
  visitOnce: () => Promise<unknown>,
) {
  const clicks = async () => (await api.getLink(id)).clickCount;
  await expect.poll(clicks, { message: 'clickCount', timeout: 10_000 }).toBe(count);
  // A visit that is counted later proves that no earlier one is counted again.
  await visitOnce();
  await expect.poll(clicks, { message: 'clickCount', timeout: 10_000 }).not.toBe(count);
  expect(await clicks()).toBe(count + 1);
}

describe('a PostgreSQL that is killed', () => {
  it('lets cached links redirect, and everything else fails with 503', async () => {
    const api = await start();
    const create = () => api.createLink({ customSlug: newSlug() });
    const [cached, uncached] = [await create(), await create()];
    const host = 'go.example';
    const { data: domain } = await api.call('createDomain', { body: { hostname: host } });
    api.zone.set(domain.txtRecord.name, [domain.txtRecord.value]);
    expect((await api.call('verifyDomain', { params: { id: domain.id } })).status).toBe(200);
    const onDomain = await api.createLink({ domainId: domain.id });
    const locked = await api.createLink({ isPasswordProtected: true, password: 'x' });
    const unlock = (password: string) =>
      api.visit(`/${locked.shortCode}`, {
        method: 'POST',
        headers: { accept: 'application/json' },
        body: new URLSearchParams({ password }),
      });
    expect((await unlock('x')).status).toBe(303);
    const visits = visitRepeatedly(api, `/${cached.customSlug}`);
    const visitsOnDomain = visitRepeatedly(api, `/${onDomain.shortCode}`, host);
    // Long enough for the change feed, which reports the new links and so removes them from the cache.
    await Promise.all([visits.more(300), visitsOnDomain.more(300)]);
    await postgres.kill();
    for (let round = 0; round < 2; round += 1) {
      await expectUnavailable(sendEachKind(api, cached.id), soonMs);
      for (const path of [`/${uncached.customSlug}`, '/unknown', '/health/ready']) {
        const response = await api.visit(path, { headers: { accept: 'application/json' } });
        expect(`${path} ${response.outcome}`).toBe(`${path} 503 UNAVAILABLE`);
        expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
      }
      const page = await api.visit(`/${uncached.customSlug}`, { headers: { accept: 'text/html' } });
      expect(page.status).toBe(503);
      expect((await api.visit('/health/live')).status).toBe(200);
      expect((await api.visit('/metrics')).status).toBe(200);
      // The link is cached. Without a count, neither the correct password nor a wrong one is compared.
      for (const password of ['x', 'wrong']) {
        const response = await unlock(password);
        expect(response.outcome).toBe('503 UNAVAILABLE');
        expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
      }
      const form = { grant_type: 'client_credentials', client_id: 'x', client_secret: 'y' };
      const token = await api.visit('/api/v1/auth/token', {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: new URLSearchParams(form).toString(),
      });
      expect(token.body).toMatchObject({ error: 'temporarily_unavailable' });
      await visits.more(100);
    }
    await postgres.start();
    await expectReadyAgain(api);
    const { answered, slowestMs } = await visits.stop();
    expect(answered).toBeGreaterThan(100);
    expect(slowestMs).toBeLessThan(2_000);
    const visitCached = () => visit(`${api.server.url}/${cached.customSlug}`, undefined);
    await expectClicks(api, cached.id, answered, visitCached);
    const visitOnDomain = () => visit(`${api.server.url}/${onDomain.shortCode}`, host);
    await expectClicks(api, onDomain.id, (await visitsOnDomain.stop()).answered, visitOnDomain);
    expect((await api.visit(`/${uncached.customSlug}`, { headers })).status).toBe(307);
    expect((await api.call('createUrl', { body: { targetUrl } })).status).toBe(201);
  });
});

/** Starts a server as a process, with a link. */
async function startProcess() {
  const { databaseUrl, journalFolder } = await newSettings();
  const credentials = {
    clientId: 'outage-test',
    clientSecret: 'outage-test-secret-of-32-characters',
  };
  const settings = {
    PORT: '0',
    SHORTY_DATABASE_URL: databaseUrl,
    SHORTY_JOURNAL_FOLDER: journalFolder,
    SHORTY_CLIENT_ID: credentials.clientId,
    SHORTY_CLIENT_SECRET: credentials.clientSecret,
  };
  const server = await serve(settings);
  const token = String(await tokenOf(server.origin, credentials));
  const caller = callerOf(server.origin, token, '');
  const link = await caller.createLink();
  const visitOn = async (origin: string) => {
    const { status } = await contractFetch(`${origin}/${link.shortCode}`, { headers });
    expect(status).toBe(307);
  };
  await visitOn(server.origin);
  expect((await caller.call('getUrlClicks', { params: { id: link.id } })).status).toBe(200);
  return {
    async stopWhileStorageHangs() {
      await visitOn(server.origin);
      // A request that waits for storage when the signal arrives.
      const waiting = caller.call('createUrl', { body: { targetUrl } }).catch(() => undefined);
      // The server has read that request when it responds to a later one.
      expect((await contractFetch(`${server.origin}/health/live`)).status).toBe(200);
      const beganAt = performance.now();
      server.child.kill('SIGTERM');
      expect(await server.ended).toMatchObject({ code: 0 });
      expect(performance.now() - beganAt).toBeLessThan(10_000);
      await waiting;
    },
    async expectBothVisits() {
      const next = await serve(settings);
      await expectClicks(callerOf(next.origin, token, ''), link.id, 2, () => visitOn(next.origin));
      next.child.kill('SIGTERM');
      expect((await next.ended).code).toBe(0);
    },
  };
}

describe('a PostgreSQL that hangs', () => {
  it('causes 503 in bounded time, while redirects work and a server stops within ten seconds, without a lost visit', async () => {
    const api = await start();
    const create = () => api.createLink();
    const [cached, uncached] = [await create(), await create()];
    const process = await startProcess();
    const visits = visitRepeatedly(api, `/${cached.shortCode}`);
    await visits.more(20);
    await postgres.freeze();
    const stopped = process.stopWhileStorageHangs();
    // More requests than connections.
    await expectUnavailable(
      [
        ...sendEachKind(api, cached.id),
        ...sendEachKind(api, cached.id),
        api.visit(`/${uncached.shortCode}`, { headers: { accept: 'application/json' } }),
        api.visit('/health/ready'),
      ],
      boundedMs,
    );
    // Those that find no connection left, or make a new one.
    await expectUnavailable(sendEachKind(api, cached.id), boundedMs);
    await stopped;
    await postgres.thaw();
    await expectReadyAgain(api);
    const { answered, slowestMs } = await visits.stop();
    expect(slowestMs).toBeLessThan(2_000);
    await expectClicks(api, cached.id, answered, () =>
      visit(`${api.server.url}/${cached.shortCode}`, undefined),
    );
    expect((await create()).id).toBeDefined();
    await process.expectBothVisits();
  }, 90_000);
});

const newSlug = () => `slug-${randomUUID().slice(0, 13)}`;
