import { beforeEach, describe, expect, it } from 'vitest';
import { person, startForTest, type TestServer } from '../api/start-server.js';
import { fileForTest, type TemporaryFile } from '../storage/temporary-database.js';
import { storedVisits, untilStored } from './stored-visits.js';

let file: TemporaryFile;
let api: TestServer;
beforeEach(async () => {
  file = fileForTest();
  api = await startForTest({ databaseUrl: `file:${file.path}`, thresholds: [2, 5] });
});

const create = (fields?: object) => api.createLink(fields);
const visit = (key: string, headers: Record<string, string> = {}, method = 'GET') =>
  api.visit(`/${key}`, { method, headers: { ...person, ...headers } });
const clicksOf = async (id: string) => (await api.getLink(id)).clickCount;

describe('the ingest of visits', () => {
  it('counts each visit of a person once, and neither counts nor stores visits of machines', async () => {
    const { id, shortCode } = await create();
    await visit(shortCode, { 'sec-purpose': 'prefetch' });
    await visit(shortCode, { 'user-agent': '' });
    await visit(shortCode, {}, 'HEAD');
    await visit(shortCode, { 'user-agent': 'Googlebot/2.1 (+http://www.google.com/bot.html)' });
    // The journal is read in order, so the others are read, too.
    expect((await visit(shortCode)).status).toBe(307);
    await untilStored(api.server.database, 1);
    expect(await storedVisits(api.server.database)).toHaveLength(1);
    const data = await api.getLink(id);
    expect([data.clickCount, data.excludedClicks]).toEqual([1, 4]);
    expect((await api.call('eraseUrlVisits', { params: { id } })).status).toBe(200);
    const erased = await api.getLink(id);
    expect([erased.clickCount, erased.excludedClicks]).toEqual([0, 4]);
  });

  it('ignores requests without a redirect: unknown, deleted and locked URLs, and wrong passwords', async () => {
    const gone = await create();
    await api.call('deleteUrl', { params: { id: gone.id } });
    const locked = await create({ isPasswordProtected: true, password: 'sesame' });
    await visit('unknown');
    await visit(gone.shortCode);
    await visit(locked.shortCode);
    const unlock = (password: string) =>
      api.visit(`/${locked.shortCode}`, {
        method: 'POST',
        headers: { ...person, 'content-type': 'application/json' },
        body: JSON.stringify({ password }),
      });
    expect((await unlock('wrong')).status).toBe(401);
    expect((await unlock('sesame')).status).toBe(303);
    await untilStored(api.server.database, 1);
    expect(await clicksOf(locked.id)).toBe(1);
    expect(await storedVisits(api.server.database)).toHaveLength(1);
  });
});

describe('a server whose storage another process has locked', () => {
  it('redirects visitors, and stores every visit after the lock is released', async () => {
    const { id, shortCode } = await create();
    await visit(shortCode);
    const other = file.other();
    other.exec('begin immediate');
    const startedAt = performance.now();
    let visits = 1;
    let slowestMs = 0;
    while (performance.now() - startedAt < 5_500) {
      const beganAt = performance.now();
      expect((await visit(shortCode)).status).toBe(307);
      slowestMs = Math.max(slowestMs, performance.now() - beganAt);
      visits += 1;
    }
    expect(slowestMs).toBeLessThan(1_000);
    other.exec('rollback');
    await untilStored(api.server.database, visits);
    expect(await clicksOf(id)).toBe(visits);
  });
});

it('a server that stops stores every visit, and deletes its journal position', async () => {
  const { shortCode } = await create();
  await Promise.all(Array.from({ length: 50 }, () => visit(shortCode)));
  await api.stop();
  const other = file.other();
  expect(other.prepare('select sum(visit_count) as visits from visits').get()).toEqual({
    visits: 50,
  });
  expect(other.prepare('select count(*) as writers from journal_positions').get()).toEqual({
    writers: 0,
  });
});
