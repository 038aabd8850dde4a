import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { sql } from 'kysely';
import { v7 as newUuid } from 'uuid';
import { expect, it, onTestFinished } from 'vitest';
import { eraseVisits } from '../../src/analytics/ingest/erase-visits.js';
import { markErased } from '../../src/analytics/ingest/erasure-marks.js';
import { recoverOrphans } from '../../src/analytics/ingest/visit-ingester.js';
import { pruneVisits } from '../../src/analytics/ingest/visit-pruner.js';
import { VisitRepository } from '../../src/analytics/ingest/visit-repository.js';
import { journalRootOf, segmentPath } from '../../src/analytics/journal/journal-folder.js';
import { toLine } from '../../src/analytics/journal/journal-lines.js';
import { diagnoseClicks, diagnoseScans } from '../../src/analytics/reports/visit-doctor.js';
import { EventOutbox } from '../../src/events/event-outbox.js';
import { takeBackup } from '../../src/operations/backup/take-backup.js';
import type { Database } from '../../src/storage/database.js';
import { findDatabaseFile } from '../../src/storage/locate-database.js';
import { startServer } from '../api/start-server.js';
import { emptyDatabase, engine } from '../engine.js';
import { rowsWith } from '../storage/rows-with.js';
import { diagnoseOrganizationChunks } from './organization-chunks.js';
import { day, hour, makeVisit, month, openVisitStore, start } from './visit-store.js';

const browser = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Firefox/128.0' };
// The bytes of the keys have these texts.
const keys = { visitorKey: '6162636465666768', addressKey: '696a6b6c6d6e6f70' };
// 'dcbahgfe', because each half is a number in little-endian order.
const visitorText = Buffer.from('6463626168676665', 'hex').toString('latin1');

async function startApi() {
  const empty = await emptyDatabase();
  onTestFinished(() => empty.remove());
  const api = await startServer({ ...empty, rateLimit: 0, thresholds: [2, 4] });
  onTestFinished(() => api.stop());
  const { database } = api.server;
  const clicksOf = async (id: string) =>
    (await api.call('getUrl', { params: { id } })).data.clickCount as number;
  const root = journalRootOf(empty) as string;
  const outbox = new EventOutbox(database, { newId: newUuid });
  const repository = new VisitRepository(database, { outbox, thresholds: [] });
  return {
    api,
    database,
    clicksOf,
    root,
    ...empty,

    /** Reads the journal of a process that was killed. Its folder has no lock. */
    async readKilled(lines: readonly string[]): Promise<void> {
      const folder = join(root, 'killed-writer');
      mkdirSync(folder, { recursive: true });
      writeFileSync(segmentPath(folder, 1), lines.join(''));
      const refuse = () => expect.unreachable('no line is damaged');
      expect(await recoverOrphans(repository, root, api.clock, refuse)).toBe(lines.length);
    },
  };
}

async function expectNoErrors(database: Database): Promise<void> {
  expect((await diagnoseClicks(database)).wrongCounters).toEqual([]);
  expect((await diagnoseScans(database)).wrongCounters).toEqual([]);
  expect(await diagnoseOrganizationChunks(database)).toEqual([]);
}

it('erases all visits, makes an audit entry, and sends no threshold twice', async () => {
  const { api, database, clicksOf } = await startApi();
  const { data: url } = await api.call('createUrl', { body: { targetUrl: 'https://a.example/' } });
  const { data: other } = await api.call('createUrl', {
    body: { targetUrl: 'https://b.example/' },
  });
  const { data: qr } = await api.call('createQr', { body: { urlId: Number(url.id) } });
  const mobile = 'Mozilla/5.0 (Linux; Android 14; Pixel 8) Chrome/126.0.0.0 Mobile Safari/537.36';
  const visit = (code: string) => api.visit(`/${code}`, { headers: { 'user-agent': mobile } });
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
  expect(after.data).toMatchObject({ clickCount: 0, lastClickAt: null, isActive: true });
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
  await expectNoErrors(database);
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
  await expectNoErrors(database);
});

it('is exact among clicks that go on, and drops visits of journals that are read later', async () => {
  const { api, database, clicksOf, readKilled } = await startApi();
  const { data: url } = await api.call('createUrl', { body: { targetUrl: 'https://a.example/' } });
  const { data: other } = await api.call('createUrl', {
    body: { targetUrl: 'https://b.example/' },
  });
  const visit = () => api.visit(`/${url.shortCode}`, { headers: browser });
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
  await expectNoErrors(database);
});

it('leaves no key in the database, in journals and in a later backup', async () => {
  const { api, database, databaseUrl, clicksOf, root, readKilled } = await startApi();
  const { data: url } = await api.call('createUrl', { body: { targetUrl: 'https://a.example/' } });
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

it('continues after a kill at any write, during a compaction, too', async () => {
  const stored = await openVisitStore();
  onTestFinished(() => stored.close());
  const { database } = stored;
  const organizationId = await stored.addOrganization('enterprise');
  const created = await stored.create(organizationId, [{}, {}]);
  const [first = 0, second = 0] = created.map((each) => (each.status === 'created' ? each.id : 0));
  const visitsOf = (urlId: number, from: number) =>
    Array.from({ length: 12 }, (_, index) =>
      makeVisit({ urlId, visitedAt: from + index * hour, facts: keys }),
    );
  const killedAfter = (writes: number): Database => {
    let left = writes;
    const writeDirectly: Database['writeDirectly'] = (work, lock) => {
      left -= 1;
      if (left < 0) throw new Error('killed');
      return database.writeDirectly(work, lock);
    };
    return { ...database, writeDirectly };
  };
  let day0 = start;
  let remaining = 0;
  for (let writes = 0; writes < 9; writes += 1) {
    await stored.store([...visitsOf(first, day0), ...visitsOf(second, day0)]);
    await stored.compact();
    await stored.store([...visitsOf(second, day0 + day), ...visitsOf(first, day0 + day)]);
    const compactor = stored.compactorAt(start + 3650 * day, killedAfter(1 + (writes % 4)));
    await compactor.compact().catch(({ message }) => expect(message).toBe('killed'));
    const until = day0 + day + 5 * hour;
    await database.writeDirectly((transaction) => markErased(transaction, first, until));
    await eraseVisits(killedAfter(writes)).catch((error) => expect(error).toBeInstanceOf(Error));
    expect(await eraseVisits(database)).toEqual([]);
    remaining = 6;
    const { totals } = await stored.reader.readClicks(first, month);
    expect(totals.totalClicks).toBe(remaining);
    const overview = await stored.reader.readOverview(organizationId, month, start);
    expect(overview.totals.totalClicks).toBe(remaining + 24 * (writes + 1));
    await expectNoErrors(database);
    await stored.compact();
    await expectNoErrors(database);
    day0 += 2 * day;
  }
});

/** A store with compacted visits from `start` on, one an hour, of each link of some organizations. */
async function openCompacted(linksOf: readonly number[]) {
  const stored = await openVisitStore();
  onTestFinished(() => stored.close());
  const { database } = stored;
  const organizations: { id: string; urlIds: number[] }[] = [];
  for (const links of linksOf) {
    const id = await stored.addOrganization('enterprise');
    const created = await stored.create(
      id,
      Array.from({ length: links }, () => ({})),
    );
    const urlIds = created.map((each) => (each.status === 'created' ? each.id : 0));
    organizations.push({ id, urlIds });
  }
  const urlIds = organizations.flatMap((each) => each.urlIds);
  await stored.store(
    urlIds.flatMap((urlId) =>
      Array.from({ length: 4 }, (_, index) =>
        makeVisit({ urlId, visitedAt: start + index * hour, facts: keys }),
      ),
    ),
  );
  await stored.compact();
  const mark = (ids: readonly number[], until: number) =>
    database.writeDirectly(async (transaction) => {
      for (const id of ids) await markErased(transaction, id, until);
    });
  const findPending = async () => {
    const rows = await database.read
      .selectFrom('url_clicks')
      .select('url_id')
      .where('erasure_pending', '=', 1)
      .orderBy('url_id')
      .execute();
    return rows.map(({ url_id }) => url_id);
  };
  return { stored, database, organizations, urlIds, mark, findPending };
}

it('finishes only what it erased, when a link is marked during a backlog', async () => {
  const { database, urlIds, mark, findPending } = await openCompacted([45]);
  const [first = 0, ...others] = urlIds.sort((a, b) => a - b);
  await mark(others, start + day);
  let isMarked = false;
  const writeDirectly: Database['writeDirectly'] = async (work, lock) => {
    if (!isMarked) await mark([first], start + day);
    isMarked = true;
    return database.writeDirectly(work, lock);
  };
  expect(await eraseVisits({ ...database, writeDirectly })).toEqual([]);
  expect(await findPending()).toEqual([]);
  expect(await rowsWith(database, visitorText)).toEqual([]);
});

it('retains the counters of later days whose visits were pruned', async () => {
  const { stored, database, urlIds, mark } = await openCompacted([1]);
  const [urlId = 0] = urlIds;
  const lastAt = start + 2 * day;
  await stored.store([makeVisit({ urlId, visitedAt: lastAt })]);
  await stored.compact();
  await pruneVisits({ database, clock: () => start + 9 * day, retentionDays: 1 });
  await mark(urlIds, start + day);
  expect(await eraseVisits(database)).toEqual([]);
  const counters = await database.read.selectFrom('url_clicks').selectAll().execute();
  expect(counters).toMatchObject([{ clicks: 1, last_clicked_at: lastAt }]);
  await expectNoErrors(database);
});

it('retains the marks when it is interrupted before all copies are deleted', async () => {
  const { database, urlIds, mark, findPending } = await openCompacted([2]);
  await mark(urlIds, start + day);
  const stopping = new AbortController();
  const writeDirectly: Database['writeDirectly'] = async (work, lock) => {
    const result = await database.writeDirectly(work, lock);
    stopping.abort();
    return result;
  };
  expect(await eraseVisits({ ...database, writeDirectly }, stopping.signal)).toEqual([]);
  expect(await findPending()).toEqual(urlIds);
  expect((await rowsWith(database, visitorText)).join()).toContain('organization_chunks');
  expect(await eraseVisits(database)).toEqual([]);
  expect(await findPending()).toEqual([]);
  expect(await rowsWith(database, visitorText)).toEqual([]);
});

it('deletes the visits of a large link in several transactions', async () => {
  const { stored, database, urlIds, mark, findPending } = await openCompacted([1]);
  const [urlId = 0] = urlIds;
  // More chunks than a transaction deletes.
  const visits = 33 * 2048;
  for (let from = 0; from < visits; from += visits / 3) {
    const batch = Array.from({ length: visits / 3 }, (_, index) =>
      makeVisit({ urlId, visitedAt: start + from + index, facts: keys }),
    );
    await stored.store(batch);
  }
  await stored.compact();
  await mark(urlIds, start + day);
  let transactions = 0;
  const killed: Database['writeDirectly'] = (work, lock) => {
    transactions += 1;
    if (transactions > 1) throw new Error('killed');
    return database.writeDirectly(work, lock);
  };
  await expect(eraseVisits({ ...database, writeDirectly: killed })).rejects.toThrow('killed');
  const { totals } = await stored.reader.readClicks(urlId, month);
  expect(totals.totalClicks).toBeGreaterThan(0);
  expect(totals.totalClicks).toBeLessThanOrEqual(2048 + 4);
  // `doctor` must not reduce the counter now: its thresholds would be sent again.
  await expectNoErrors(database);
  expect(await eraseVisits(database)).toEqual([]);
  expect(await findPending()).toEqual([]);
  const counters = await database.read.selectFrom('url_clicks').selectAll().execute();
  expect(counters).toMatchObject([{ clicks: 0, peak_clicks: visits + 4 }]);
  expect(await rowsWith(database, visitorText)).toEqual([]);
  await expectNoErrors(database);
});

/** Visits of a format that this server does not know. */
const laterFormat = Buffer.from(Uint32Array.of(7, 1, 2, 0).buffer);

async function replaceVisits(
  { read, writeDirectly }: Pick<Database, 'read' | 'writeDirectly'>,
  table: 'visit_chunks' | 'visit_batches',
  where: Readonly<Record<string, number>>,
  visits: Uint8Array,
): Promise<Buffer> {
  const is = sql.join(
    Object.entries(where).map(([column, value]) => sql`${sql.ref(column)} = ${value}`),
    sql` and `,
  );
  const { rows } = await sql<{ visits: Uint8Array }>`
    select visits from ${sql.table(table)} where ${is}`.execute(read);
  await writeDirectly(async (transaction) => {
    await sql`update ${sql.table(table)} set visits = ${visits} where ${is}`.execute(transaction);
  }, 'exclusive');
  expect(rows).toHaveLength(1);
  return Buffer.from(rows[0]?.visits ?? []);
}

it.each([
  ['later', laterFormat],
  ['damaged', Buffer.from('damaged')],
])(
  'deletes no %s chunk with later visits, names it, and erases other links',
  async (_, unreadable) => {
    const { stored, database, urlIds, mark, findPending } = await openCompacted([2]);
    const [first = 0, other = 0] = urlIds;
    const chunk = { url_id: first, number: 0 };
    const visits = await replaceVisits(database, 'visit_chunks', chunk, unreadable);
    await mark(urlIds, start + hour);
    const names = { message: expect.stringContaining(`chunk-${first}-0`) };
    expect(await eraseVisits(database)).toMatchObject([names]);
    expect(await findPending()).toEqual([first]);
    const clicks = async (urlId: number) =>
      (await stored.reader.readClicks(urlId, month)).totals.totalClicks;
    expect(await clicks(other)).toBe(2);
    expect(await replaceVisits(database, 'visit_chunks', chunk, visits)).toEqual(unreadable);
    expect(await eraseVisits(database)).toEqual([]);
    expect(await findPending()).toEqual([]);
    expect(await clicks(first)).toBe(2);
    await expectNoErrors(database);
  },
);

it('an erasure does not end while a batch that may have erased visits cannot be read', async () => {
  const { stored, database, urlIds, mark, findPending } = await openCompacted([1]);
  const [urlId = 0] = urlIds;
  await stored.store([makeVisit({ urlId, visitedAt: start, facts: keys })]);
  const { id } = await database.read
    .selectFrom('visit_batches')
    .select('id')
    .executeTakeFirstOrThrow();
  const visits = await replaceVisits(database, 'visit_batches', { id }, laterFormat);
  await mark(urlIds, start + day);
  for (let run = 0; run < 2; run += 1) {
    expect(await eraseVisits(database)).toMatchObject([
      { message: expect.stringContaining(`batch-${id}`) },
    ]);
    expect(await findPending()).toEqual(urlIds);
  }
  expect(await replaceVisits(database, 'visit_batches', { id }, visits)).toEqual(laterFormat);
  expect(await eraseVisits(database)).toEqual([]);
  await stored.compact();
  expect((await stored.reader.readClicks(urlId, month)).totals.totalClicks).toBe(0);
  expect(await rowsWith(database, visitorText)).toEqual([]);
  await expectNoErrors(database);
});

it('the API names the row that prevents an erasure, and a repetition finishes it', async () => {
  const { api, database, clicksOf } = await startApi();
  const { data: url } = await api.call('createUrl', { body: { targetUrl: 'https://a.example/' } });
  await api.visit(`/${url.shortCode}`, { headers: browser });
  await expect.poll(() => clicksOf(url.id)).toBe(1);
  const { id } = await database.read
    .selectFrom('visit_batches')
    .select('id')
    .executeTakeFirstOrThrow();
  const visits = await replaceVisits(database, 'visit_batches', { id }, laterFormat);
  const call = { params: { id: url.id }, headers: { 'idempotency-key': 'erase' } };
  const refused = await api.call('eraseUrlVisits', call);
  expect(refused.outcome).toBe('503 UNAVAILABLE');
  expect(refused.text).toContain(`batch-${id}`);
  await replaceVisits(database, 'visit_batches', { id }, visits);
  expect((await api.call('eraseUrlVisits', call)).status).toBe(200);
  expect(await clicksOf(url.id)).toBe(0);
  await expectNoErrors(database);
});

it('deletes a damaged copy; one of a later version does not block other organizations', async () => {
  const { stored, database, organizations, urlIds, mark, findPending } = await openCompacted([
    2, 2, 2,
  ]);
  const [damaged, later, other] = organizations;
  const replaceVisits = (organizationId: string | undefined, visits: Uint8Array) =>
    database.writeDirectly((transaction) =>
      transaction
        .updateTable('organization_chunks')
        .set({ visits: Buffer.from(visits) })
        .where('organization_id', '=', organizationId as string)
        .execute(),
    );
  await replaceVisits(damaged?.id, Buffer.from('damaged'));
  await replaceVisits(later?.id, new Uint8Array(Uint32Array.of(7, 1, 2, 0).buffer));
  await mark(urlIds, start + hour);
  expect(await eraseVisits(database)).toMatchObject([
    { message: `organization ${later?.id}: copies of erased visits were not deleted` },
  ]);
  expect(await findPending()).toEqual(later?.urlIds);
  for (const organization of [damaged, other]) {
    const id = organization?.id as string;
    const { totals } = await stored.reader.readOverview(id, month, start);
    expect(totals.totalClicks).toBe(4);
  }
});

it('erases the visits of many batches in several transactions, beside a compaction', async () => {
  const { stored, database, organizations, urlIds, mark, findPending } = await openCompacted([3]);
  const [{ id: organizationId = '' } = {}] = organizations;
  const [erased = 0, ...others] = urlIds;
  // Texts that differ, so that a few batches have more bytes than a transaction writes.
  const batches = 6;
  const visitsPerLink = 700;
  for (let at = 0; at < batches; at += 1) {
    const visits = urlIds.flatMap((urlId) =>
      Array.from({ length: visitsPerLink }, (_, index) => {
        const key = (at * visitsPerLink + index + urlId * 1e6).toString(16).padStart(16, '0');
        const utmSource = createHash('sha512').update(key).digest('hex').repeat(3);
        const facts = { ...keys, campaign: { utmSource } };
        return makeVisit({ urlId, visitedAt: start + at * hour + index, facts });
      }),
    );
    await stored.store(visits);
  }
  // The compaction has moved the links, and a part of the organization.
  let writes = 0;
  const isPartOfOrganization = async () => {
    const [progress] = await database.read.selectFrom('visit_compactions').selectAll().execute();
    return progress !== undefined && progress.next_visit > 0;
  };
  const writeDirectly: Database['writeDirectly'] = async (work, lock) => {
    if (await isPartOfOrganization()) throw new Error('killed');
    writes += 1;
    return database.writeDirectly(work, lock);
  };
  const interrupted = stored.compactorAt(start + 3650 * day, { ...database, writeDirectly });
  await expect(interrupted.compact()).rejects.toThrow('killed');
  expect(writes).toBeGreaterThan(1);
  await mark([erased], start + day);

  const visitsInBatches = async () => {
    const rows = await database.read.selectFrom('visit_batches').select('visit_count').execute();
    return rows.reduce((sum, { visit_count }) => sum + visit_count, 0);
  };
  const total = batches * visitsPerLink;
  let most = 0;
  let stops = 0;
  // Each run ends after one transaction more that erases visits of batches.
  for (; (await findPending()).length > 0; stops += 1) {
    let left = 1;
    const killed: Database['writeDirectly'] = async (work, lock) => {
      const before = await visitsInBatches();
      if (left === 0) throw new Error('killed');
      const result = await database.writeDirectly(work, lock);
      const removed = before - (await visitsInBatches());
      most = Math.max(most, removed);
      if (removed > 0) left -= 1;
      return result;
    };
    await eraseVisits({ ...database, writeDirectly: killed }).catch((error) =>
      expect(error.message).toBe('killed'),
    );
    if (stops === 1) await expectNoErrors(database);
    expect(stops).toBeLessThan(20);
  }
  expect(stops).toBeGreaterThan(2);
  expect(most).toBeLessThan(total / 2);
  const counts = async () => {
    const reports = await Promise.all(urlIds.map((id) => stored.reader.readClicks(id, month)));
    return reports.map(({ totals }) => totals.totalClicks);
  };
  const expected = [0, ...others.map(() => total + 4)];
  expect(await counts()).toEqual(expected);
  await stored.compact();
  expect(await visitsInBatches()).toBe(0);
  expect(await counts()).toEqual(expected);
  const overview = await stored.reader.readOverview(organizationId, month, start);
  expect(overview.totals.totalClicks).toBe(2 * (total + 4));
  await expectNoErrors(database);
});
