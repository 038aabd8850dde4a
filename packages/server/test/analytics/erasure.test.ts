import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { eraseVisits, markErased } from '../../src/analytics/ingest/erase-visits.js';
import { journalRootOf } from '../../src/analytics/journal/journal-folder.js';
import { toLine } from '../../src/analytics/journal/journal-lines.js';
import { discardVisits } from '../../src/analytics/reports/visit-doctor.js';
import { takeBackup } from '../../src/operations/backup/take-backup.js';
import type { Database } from '../../src/storage/database.js';
import { findDatabaseFile } from '../../src/storage/locate-database.js';
import { person, startForTest } from '../api/start-server.js';
import { databaseForTest, engine } from '../engine.js';
import { rowsWith } from '../storage/rows-with.js';
import { expectSoundVisits, readKilled } from './stored-visits.js';
import { day, makeVisit, month, openVisitStore, start } from './visit-store.js';

// The bytes of the keys have these texts.
const keys = { visitorKey: '6162636465666768', addressKey: '696a6b6c6d6e6f70' };
// 'dcbahgfe', because each half is a number in little-endian order.
const visitorText = Buffer.from('6463626168676665', 'hex').toString('latin1');

async function startApi() {
  const empty = await databaseForTest();
  const api = await startForTest({ ...empty, rateLimit: 0, thresholds: [2, 4] });
  const { database } = api.server;
  const clicksOf = async (id: string) => (await api.getLink(id)).clickCount as number;
  const root = journalRootOf(empty) as string;
  const read = (lines: readonly string[]) => readKilled(database, root, api.clock, lines);
  return { api, database, clicksOf, root, ...empty, readKilled: read };
}

it('erases all visits, makes an audit entry, and sends no threshold twice', async () => {
  const { api, database, clicksOf } = await startApi();
  const url = await api.createLink({ targetUrl: 'https://a.example/' });
  const other = await api.createLink({ targetUrl: 'https://b.example/' });
  const { data: qr } = await api.call('createQr', { body: { urlId: Number(url.id) } });
  const mobile = 'Mozilla/5.0 (Linux; Android 14; Pixel 8) Chrome/126.0.0.0 Mobile Safari/537.36';
  const visit = (code: string, agent = mobile) =>
    api.visit(`/${code}`, { headers: { 'user-agent': agent } });
  expect((await visit(url.shortCode, 'Googlebot/2.1')).status).toBe(307);
  for (const code of [url.shortCode, url.shortCode, url.shortCode, other.shortCode]) {
    expect((await visit(code)).status).toBe(307);
  }
  await expect.poll(() => clicksOf(url.id)).toBe(3);
  await expect.poll(() => clicksOf(other.id)).toBe(1);
  const call = { params: { id: url.id }, headers: { 'idempotency-key': 'erase' } };
  const erased = await api.call('eraseUrlVisits', call);
  expect(erased.status, erased.text).toBe(200);
  const erasedUntil = new Date(api.clock()).toISOString();
  expect(erased.data).toEqual({ urlId: url.id, erasedUntil });
  const after = await api.call('getUrl', { params: { id: url.id } });
  const none = { clickCount: 0, lastClickAt: null };
  expect(after.data).toMatchObject({ ...none, excludedClicks: 1, isActive: true });
  const params = { id: qr.id };
  expect((await api.call('getQr', { params })).data.scanCount).toBe(0);
  api.clock.advance(1);
  const since = '1970-01-01';
  const clicks = await api.call('getUrlClicks', { params: { id: url.id }, query: { since } });
  expect(clicks.data.totals).toEqual({ totalClicks: 0, uniqueClicks: 0, uniqueIps: 0 });
  expect((await api.call('getQrScans', { params, query: { since } })).data.totals.totalScans).toBe(
    0,
  );
  const overview = await api.call('getAnalyticsOverview', { query: { since } });
  expect(overview.data.totals).toMatchObject({ totalClicks: 1, totalScans: 0 });
  expect((await api.call('exportVisits', { query: { since } })).data.count).toBe(1);
  await expectSoundVisits(database);
  const audit = await api.call('listAuditEntries', { query: { operation: 'eraseUrlVisits' } });
  expect(audit.data.items).toMatchObject([{ resource: { type: 'url', id: url.id }, count: 1 }]);

  for (let count = 0; count < 4; count += 1) await visit(url.shortCode);
  await expect.poll(() => clicksOf(url.id)).toBe(4);
  const again = await api.call('eraseUrlVisits', call);
  expect([again.text, again.headers.get('idempotent-replayed')]).toEqual([erased.text, 'true']);
  expect(await clicksOf(url.id)).toBe(4);
  const peaks = await database.read
    .selectFrom('url_clicks')
    .select(['clicks', 'peak_clicks'])
    .where('url_id', '=', Number(url.id))
    .executeTakeFirstOrThrow();
  expect(peaks).toEqual({ clicks: 4, peak_clicks: 3 });
  await expectSoundVisits(database);
});

it('is exact among clicks that go on, and drops visits of journals that are read later', async () => {
  const { api, database, clicksOf, readKilled } = await startApi();
  const url = await api.createLink({ targetUrl: 'https://a.example/' });
  const other = await api.createLink({ targetUrl: 'https://b.example/' });
  const visit = () => api.visit(`/${url.shortCode}`, { headers: person });
  const params = { id: url.id };
  let sent = 0;
  for (let round = 0; round < 4; round += 1) {
    const before = Array.from({ length: 20 }, visit);
    const erased = await api.call('eraseUrlVisits', { params });
    expect(erased.status, erased.text).toBe(200);
    await Promise.all(before);
    api.clock.advance(1);
    sent = 0;
    for (; sent < 5; sent += 1) expect((await visit()).status).toBe(307);
    await expect.poll(() => clicksOf(url.id)).toBe(sent);
  }
  const lineAt = (urlId: string, visitedAt: number) =>
    toLine(makeVisit({ urlId: Number(urlId), visitedAt, facts: keys }));
  const now = api.clock();
  const lines = [lineAt(url.id, now - 1), lineAt(url.id, now - day), lineAt(other.id, now - day)];
  await readKilled([...lines, lineAt(url.id, now)]);
  expect([await clicksOf(url.id), await clicksOf(other.id)]).toEqual([sent + 1, 1]);
  await expectSoundVisits(database);
});

it('answers 503 with the name of a row that cannot be read, until that row is discarded', async () => {
  const { api, database, clicksOf, readKilled } = await startApi();
  const url = await api.createLink({ targetUrl: 'https://a.example/' });
  const visit = toLine(makeVisit({ urlId: Number(url.id), visitedAt: api.clock() }));
  await readKilled([visit]);
  const visits = Buffer.from('damaged');
  await database.writeDirectly((transaction) =>
    transaction.updateTable('visits').set({ visits }).execute(),
  );
  await readKilled([visit, visit]);
  const [damaged] = await database.read.selectFrom('visits').select('id').orderBy('id').execute();
  const id = damaged?.id as number;
  const erase = () => api.call('eraseUrlVisits', { params: { id: url.id } });
  const refused = await erase();
  expect(refused.outcome).toBe('503 UNAVAILABLE');
  expect(refused.error.message).toContain(`the row ${id} of visits cannot be read`);
  expect(await clicksOf(url.id)).toBe(3);
  expect(await discardVisits(database, id)).toMatchObject({ id, visit_count: 1 });
  expect((await erase()).status).toBe(200);
  expect(await clicksOf(url.id)).toBe(0);
  await expectSoundVisits(database);
});

it('leaves no key in the database, in journals and in a later backup', async () => {
  const { api, database, databaseUrl, clicksOf, root, readKilled } = await startApi();
  const url = await api.createLink({ targetUrl: 'https://a.example/' });
  const visit = makeVisit({ urlId: Number(url.id), visitedAt: api.clock(), facts: keys });
  await readKilled([toLine(visit), toLine(visit), toLine(visit)]);
  expect(await clicksOf(url.id)).toBe(3);
  expect(await rowsWith(database, visitorText)).not.toEqual([]);
  expect((await api.call('eraseUrlVisits', { params: { id: url.id } })).status).toBe(200);
  expect(await rowsWith(database, visitorText)).toEqual([]);
  if (engine() === 'sqlite') {
    const path = findDatabaseFile(databaseUrl) as string;
    const to = join(dirname(path), 'backup.db');
    await takeBackup({ databasePath: path, to, thresholds: [] });
    expect(readFileSync(to, 'latin1')).not.toContain(visitorText);
  }
  await api.stop();
  for (const name of readdirSync(root, { recursive: true, withFileTypes: true })) {
    if (!name.isFile()) continue;
    const text = readFileSync(join(name.parentPath, name.name), 'latin1');
    expect(text).not.toContain(keys.visitorKey);
  }
});

/** Stores visits of two links of an organization, some after the erasure. Marks the first link. */
async function storeMarked() {
  const stored = await openVisitStore();
  onTestFinished(() => stored.close());
  const { database } = stored;
  const { organizationId, urlIds } = await stored.createLinks(2);
  const [erased, other] = urlIds as [number, number];
  const visitsOf = (urlId: number, from: number, count: number) =>
    Array.from({ length: count }, (_, at) => makeVisit({ urlId, visitedAt: from + at }));
  for (let row = 0; row < 40; row += 1) {
    await stored.store([
      ...visitsOf(erased, start + row * 100, 50),
      ...visitsOf(other, start + row * 100, 20),
    ]);
    if (row === 20) await stored.merge();
  }
  await stored.store(visitsOf(erased, start + 9 * day, 7));
  const until = start + day;
  await database.writeDirectly((transaction) => markErased(transaction, erased, until));
  const clicksOf = async (urlId: number) =>
    (await stored.reader.readClicks(organizationId, urlId, month)).totals.totalClicks;
  return { ...stored, organizationId, erased, other, clicksOf };
}

it('continues after a kill at any write, beside merges', async () => {
  const { database, erased, other, clicksOf, merge } = await storeMarked();
  const killed = new Error('killed');
  for (let kills = 0, isKilled = true; isKilled; kills += 1) {
    expect(kills).toBeLessThan(20);
    let writes = 0;
    const writeDirectly: Database['writeDirectly'] = async (work, lock) => {
      writes += 1;
      if (writes > 1) throw killed;
      return database.writeDirectly(work, lock);
    };
    isKilled = await eraseVisits({ ...database, writeDirectly }).then(
      () => false,
      (error) => {
        expect(error).toBe(killed);
        return true;
      },
    );
    if (!isKilled) break;
    await merge();
    if (kills === 3) expect(await eraseVisits(database)).toEqual(new Map());
  }
  expect([await clicksOf(erased), await clicksOf(other)]).toEqual([7, 800]);
  const counter = await database.read
    .selectFrom('url_clicks')
    .select(['clicks', 'erased_clicks', 'erasure_pending'])
    .where('url_id', '=', erased)
    .executeTakeFirst();
  expect(counter).toEqual({ clicks: 7, erased_clicks: 2_000, erasure_pending: 0 });
  await expectSoundVisits(database);
});

it.each([
  ['damaged', 0],
  ['of a later version', 99],
])('is not finished while a row is %s, and changes no byte of it', async (_, version) => {
  const { database, erased, other, clicksOf } = await storeMarked();
  const [row] = await database.read.selectFrom('visits').selectAll().orderBy('id').execute();
  const { id = 0, visits: original = new Uint8Array() } = row ?? {};
  const damaged = Buffer.from(original);
  damaged.writeUInt32LE(version, 0);
  const set = (visits: Uint8Array) =>
    database.writeDirectly((transaction) =>
      transaction.updateTable('visits').set({ visits }).where('id', '=', id).execute(),
    );
  await set(damaged);
  expect((await eraseVisits(database)).get(erased)).toContain(
    `the row ${id} of visits cannot be read`,
  );
  const read = () =>
    database.read.selectFrom('visits').select('visits').where('id', '=', id).executeTakeFirst();
  expect(Buffer.from((await read())?.visits as Uint8Array).equals(damaged)).toBe(true);
  await set(original);
  expect(await eraseVisits(database)).toEqual(new Map());
  expect([await clicksOf(erased), await clicksOf(other)]).toEqual([7, 800]);
  await expectSoundVisits(database);
});
