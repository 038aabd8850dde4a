import { sql } from 'kysely';
import { beforeEach, describe, expect, it } from 'vitest';
import { person, startForTest, type TestServer } from '../api/start-server.js';
import { fileForTest, type TemporaryFile } from './temporary-database.js';

const targetUrl = 'https://example.com/';
const asPerson = { headers: person };

let file: TemporaryFile;
let api: TestServer;
beforeEach(async () => {
  file = fileForTest();
  api = await startForTest({ databaseUrl: `file:${file.path}` });
});

const create = (body: object = {}) => api.call('createUrl', { body: { targetUrl, ...body } });

describe('while another process has locked the database', () => {
  it('all writes fail with 503 and Retry-After after two waits at most, and redirects and reads work', async () => {
    const [cached, uncached] = [(await create()).data, (await create()).data];
    const limited = (await create({ maxClicks: 3 })).data;
    for (const { shortCode } of [cached, limited]) await api.visit(`/${shortCode}`, asPerson);
    const other = file.other();
    other.exec('begin immediate');
    const startedAt = performance.now();
    const { clientId, clientSecret } = api.credentials;
    const tokenForm = new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: clientId,
      client_secret: clientSecret,
    });
    const token = api.visit('/api/v1/auth/token', {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: tokenForm.toString(),
    });
    const writes = Promise.all([
      ...Array.from({ length: 24 }, () => create()),
      api.call('updateUrl', { params: { id: cached.id }, body: { title: 'x' } }),
      api.call('bulkDeleteUrls', { body: { ids: [uncached.id] } }),
    ]);
    let isWaiting = true;
    // A click that is not taken in storage could be one too many.
    const limitedVisit = api.visit(`/${limited.shortCode}`, asPerson);
    const watched = writes.finally(() => {
      isWaiting = false;
    });
    let visits = 0;
    let slowestMs = 0;
    while (isWaiting) {
      const beganAt = performance.now();
      expect((await api.visit(`/${cached.shortCode}`)).status).toBe(307);
      slowestMs = Math.max(slowestMs, performance.now() - beganAt);
      visits += 1;
      if (visits === 1) {
        expect((await api.visit(`/${uncached.shortCode}`)).status).toBe(307);
        expect((await api.visit('/unknown')).status).toBe(404);
        expect((await api.call('listUrls')).data.total).toBe(3);
        expect((await api.visit('/health/ready')).status).toBe(200);
      }
    }
    for (const response of await watched) {
      expect(response.outcome).toBe('503 UNAVAILABLE');
      expect(response.headers.get('retry-after')).toBe('2');
    }
    expect((await limitedVisit).status).toBe(503);
    expect((await token).body).toMatchObject({ error: 'temporarily_unavailable' });
    expect((await token).headers.get('retry-after')).toBe('2');
    // A write waits for 5 s. Waits one after the other would add up to minutes.
    expect(performance.now() - startedAt).toBeLessThan(20_000);
    expect(visits).toBeGreaterThan(50);
    expect(slowestMs).toBeLessThan(1_000);

    other.exec('rollback');
    expect((await create()).status).toBe(201);
    expect((await api.visit(`/${limited.shortCode}`, asPerson)).status).toBe(307);
    const record = await api.getLink(cached.id);
    expect(record.title).toBeNull();
  });

  it('a write succeeds as soon as the lock is released', async () => {
    const other = file.other();
    other.exec('begin immediate');
    const write = create();
    await api.visit('/unknown');
    other.exec('commit');
    expect((await write).status).toBe(201);
  });
});

/** Limits the growth of the database to so many pages. */
const allowPages = (more: number) =>
  api.server.database.writeDirectly(async (transaction) => {
    const { rows } = await sql<{ page_count: number }>`pragma page_count`.execute(transaction);
    const limit = (rows[0]?.page_count ?? 0) + more;
    await sql`pragma max_page_count = ${sql.lit(limit)}`.execute(transaction);
  });

it('with a full disk, writes fail with 503 and Retry-After, leave nothing behind, and reads and redirects work', async () => {
  const link = { targetUrl: `https://example.com/${'x'.repeat(4000)}` };
  const bulk = () => api.call('bulkCreateUrls', { body: { urls: Array(100).fill(link) } });
  const { shortCode, id } = (await create(link)).data;
  await allowPages(12);
  // A bulk request that does not fit is rolled back, including its quota.
  const refused = await bulk();
  expect(refused.outcome).toBe('503 UNAVAILABLE');
  expect(refused.headers.get('retry-after')).toBe('2');
  expect((await api.call('listUrls')).data.total).toBe(1);
  expect((await api.call('getUsage')).data.links.used).toBe(1);

  let made = 1;
  let response = await create(link);
  for (; response.status === 201; response = await create(link)) made += 1;
  expect(response.outcome).toBe('503 UNAVAILABLE');
  const fill = api.server.database.writeDirectly((transaction) =>
    sql`create table filler as select zeroblob(1000000)`.execute(transaction),
  );
  await expect(fill).rejects.toThrow('(SQLITE_FULL: database or disk is full)');
  expect((await api.call('listUrls')).data.total).toBe(made);
  expect((await api.visit(`/${shortCode}`)).status).toBe(307);
  expect((await api.call('getUrl', { params: { id } })).status).toBe(200);
  expect((await api.visit('/health/live')).status).toBe(200);

  await allowPages(1_000_000);
  expect((await bulk()).data.createdCount).toBe(100);
  expect((await api.call('getUsage')).data.links.used).toBe(made + 100);
});
