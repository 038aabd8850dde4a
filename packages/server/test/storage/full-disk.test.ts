import { sql } from 'kysely';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { startServer, type TestServer } from '../api/start-server.js';
import { type TemporaryFile, temporaryFile } from './temporary-database.js';

let file: TemporaryFile;
let api: TestServer;
beforeEach(async () => {
  file = temporaryFile();
  api = await startServer({ databaseUrl: `file:${file.path}` });
});
afterEach(async () => {
  await api.stop();
  file.remove();
});

const link = { targetUrl: `https://example.com/${'x'.repeat(4000)}` };
const create = () => api.call('createUrl', { body: link });
const bulk = () => api.call('bulkCreateUrls', { body: { urls: Array(100).fill(link) } });

/** Limits the growth of the database to so many pages. */
const allowPages = (more: number) =>
  api.server.database.writeDirectly(async (transaction) => {
    const { rows } = await sql<{ page_count: number }>`pragma page_count`.execute(transaction);
    const limit = (rows[0]?.page_count ?? 0) + more;
    await sql`pragma max_page_count = ${sql.lit(limit)}`.execute(transaction);
  });

it('with a full disk, writes fail with 503 and Retry-After, leave nothing behind, and reads and redirects work', async () => {
  const { shortCode, id } = (await create()).data;
  await allowPages(12);
  // A bulk request that does not fit is rolled back, including its quota.
  const refused = await bulk();
  expect(refused.outcome).toBe('503 UNAVAILABLE');
  expect(refused.headers.get('retry-after')).toBe('2');
  expect((await api.call('listUrls')).data.total).toBe(1);
  expect((await api.call('getUsage')).data.links.used).toBe(1);

  let made = 1;
  let response = await create();
  for (; response.status === 201; response = await create()) made += 1;
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
