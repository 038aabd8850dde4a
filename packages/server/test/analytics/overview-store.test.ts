import { sql } from 'kysely';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { eraseVisits } from '../../src/analytics/ingest/erase-visits.js';
import { markErased } from '../../src/analytics/ingest/erasure-marks.js';
import { Int32Pool } from '../../src/analytics/reports/int32-pool.js';
import {
  diagnoseOrganizationChunks,
  repairOrganizationChunks,
} from '../../src/analytics/reports/organization-doctor.js';
import { OverviewCache } from '../../src/analytics/reports/overview-cache.js';
import { OverviewCountsRepository } from '../../src/analytics/reports/overview-counts-repository.js';
import { OverviewRefresher } from '../../src/analytics/reports/overview-refresher.js';
import { OverviewStore, storedKeyOf } from '../../src/analytics/reports/overview-store.js';
import { ReportReader } from '../../src/analytics/reports/report-reader.js';
import type { ReportQuery, VisitQuery } from '../../src/analytics/reports/report-window.js';
import type { Database } from '../../src/storage/database.js';
import { day, hour, makeVisit, openVisitStore, start, type VisitStore } from './visit-store.js';

let stored: VisitStore;
let organizationId: string;
let urlId: number;
let now: number;

beforeEach(async () => {
  now = start;
  stored = await openVisitStore();
  organizationId = await stored.addOrganization('enterprise');
  const [created] = await stored.create(organizationId, [{}]);
  urlId = created?.status === 'created' ? created.id : 0;
  // Ten chunks.
  for (let at = 0; at < 20_000; at += 4_000) await stored.store(visits(at, at + 4_000));
  await stored.compact();
});
afterEach(() => {
  vi.restoreAllMocks();
  return stored.close();
});

const visits = (from: number, until: number) =>
  Array.from({ length: until - from }, (_, at) =>
    makeVisit({
      urlId,
      visitedAt: start + (from + at) * 43_000,
      facts: {
        visitorKey: ((from + at) % 700).toString(16).padStart(16, '0'),
        addressKey: ((from + at) % 300).toString(16).padStart(16, '0'),
        country: (from + at) % 3 === 0 ? 'AT' : 'DE',
      },
    }),
  );

const minute = hour / 60;
const query: ReportQuery = { since: start, until: start + 12 * day, groupBy: 'day', limit: 20 };

/** Starts a reader as a new process does, and counts the chunks that it reads. */
function open(database: Database = stored.database) {
  const errors: unknown[] = [];
  const pool = new Int32Pool();
  const cache = new OverviewCache(pool, { minVisits: 1, minRest: 5_000 });
  const store = new OverviewStore({
    repository: new OverviewCountsRepository({
      database,
      clock: () => {
        now += 1;
        return now;
      },
      partBytes: 5_000,
      pauseMs: 0,
    }),
    minVisits: 1,
    onError: (error) => errors.push(error),
  });
  let chunkReads = 0;
  const reader = new ReportReader(
    {
      ...database,
      snapshot: (work) =>
        database.snapshot((db) =>
          work(
            db.withPlugin({
              transformQuery: ({ node }) => node,
              async transformResult({ result }) {
                for (const { visits } of result.rows)
                  if (visits instanceof Uint8Array) chunkReads += 1;
                return result;
              },
            }),
          ),
        ),
    },
    pool,
    cache,
    store,
  );
  return {
    errors,
    async read(of = query) {
      chunkReads = 0;
      const report = await reader.readOverview(organizationId, of, of.until);
      return { report, chunkReads };
    },
    refresh: (id: string, of: VisitQuery) => reader.refreshOverview(id, of),
    /** Waits until the counts are stored. */
    settle: () => store.settle(),
    stop: () => store.stop(),
  };
}

const fresh = (of = query) =>
  new ReportReader(stored.database).readOverview(organizationId, of, of.until);

const rows = () =>
  stored.database.read.selectFrom('overview_counts').select(['generation', 'part']).execute();

async function readAndStore(): Promise<void> {
  const first = open();
  await first.read();
  await first.settle();
  expect(first.errors).toEqual([]);
}

it('continues the stored counts after a start, also in a later window', async () => {
  await readAndStore();
  expect((await rows()).length).toBeGreaterThan(2);
  const second = open();
  const { report, chunkReads } = await second.read();
  expect(report).toEqual(await fresh());
  // The last chunk and the first ones of the window.
  expect(chunkReads).toBeLessThan(4);
  await second.stop();
  const later = { ...query, since: query.since + 2 * day, until: query.until + 2 * day };
  const third = open();
  const ofLater = await third.read(later);
  expect(ofLater.report).toEqual(await fresh(later));
  expect(ofLater.chunkReads).toBeLessThan(9);
  await third.settle();
  // Only the new counts remain.
  expect(new Set((await rows()).map(({ generation }) => generation)).size).toBe(1);
  const fourth = open();
  expect((await fourth.read(later)).chunkReads).toBeLessThan(4);
  await fourth.settle();
  // They did not change.
  expect((await rows())[0]?.generation).toBe(now);
}, 60_000);

it('does not store counts of filtered visits, or of few', async () => {
  const reader = open();
  const few = { ...query, until: start + day / 2 };
  await reader.read(few);
  const condition = {
    parameter: 'country',
    column: 'country',
    layout: { separator: ' ', count: 1 },
    field: 0,
    values: ['de'],
  };
  await reader.read({ ...query, conditions: [condition] });
  await reader.settle();
  expect(await rows()).toEqual([]);
}, 60_000);

it.each([
  ['a damaged part', { part: 1, content: Buffer.alloc(5_000) }],
  ['a damaged header', { part: 0, content: Buffer.from('{') }],
  ['a missing part', { part: 2, content: undefined }],
  ['a missing header', { part: 0, content: undefined }],
])(
  'ignores and replaces counts with %s',
  async (_, { part, content }) => {
    await readAndStore();
    const before = await rows();
    await stored.database.writeDirectly(async (transaction) => {
      if (content) {
        const update = transaction.updateTable('overview_counts').set({ content });
        await update.where('part', '=', part).execute();
      } else await transaction.deleteFrom('overview_counts').where('part', '=', part).execute();
    });
    const second = open();
    const { report, chunkReads } = await second.read();
    expect(report).toEqual(await fresh());
    expect(chunkReads).toBeGreaterThan(8);
    await second.settle();
    expect((await rows()).length).toBe(before.length);
    expect((await open().read()).chunkReads).toBeLessThan(4);
  },
  60_000,
);

it('ignores counts of another version', async () => {
  await readAndStore();
  const repository = new OverviewCountsRepository({
    database: stored.database,
    clock: () => now + 1_000,
  });
  const key = storedKeyOf(organizationId, query);
  const content = Buffer.from('later');
  const written = { organizationId, key, firstAt: start, content };
  expect(await repository.write(written, new AbortController().signal)).toBe(true);
  const { report, chunkReads } = await open().read();
  expect(report).toEqual(await fresh());
  expect(chunkReads).toBeGreaterThan(8);
}, 60_000);

async function erase(): Promise<void> {
  await stored.database.writeDirectly((transaction) =>
    markErased(transaction, urlId, start + 2 * day),
  );
  expect(await eraseVisits(stored.database)).toEqual([]);
}

it('an erasure deletes the stored counts', async () => {
  await readAndStore();
  await erase();
  expect(await rows()).toEqual([]);
  expect((await open().read()).report).toEqual(await fresh());
}, 60_000);

it('an erasure or a deletion ends a write in progress, and nothing of it remains', async () => {
  for (const interrupt of [
    erase,
    () =>
      stored.database.writeDirectly((transaction) =>
        transaction
          .updateTable('organizations')
          .set({ deletion_started_at: start })
          .where('id', '=', organizationId)
          .execute(),
      ),
  ]) {
    let writes = 0;
    const reader = open({
      ...stored.database,
      async writeDirectly(work, lock) {
        writes += 1;
        if (writes === 3) await interrupt();
        return stored.database.writeDirectly(work, lock);
      },
    });
    // After the erasure, overviews read earlier visits link by link.
    await reader.read(interrupt === erase ? query : { ...query, since: start + 3 * day });
    await reader.settle();
    expect(writes).toBe(3);
    expect(reader.errors).toEqual([]);
    // What was written before the deletion, it deletes later.
    expect(await rows()).toHaveLength(interrupt === erase ? 0 : 2);
  }
}, 60_000);

it('doctor finds nothing to repair, and a repair of the chunks deletes the counts', async () => {
  await readAndStore();
  const { database } = stored;
  expect(await diagnoseOrganizationChunks(database)).toEqual([]);
  const wrong = { id: organizationId, counted: 0, actual: 0, since: 0, until: start + 12 * day };
  await repairOrganizationChunks(database, [wrong]);
  expect(await rows()).toEqual([]);
  expect((await open().read()).report).toEqual(await fresh());
}, 60_000);

it('a refresh has more time than a report', async () => {
  // Each slice seems to take three seconds, as on a busy machine.
  let time = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => {
    time += 3_000;
    return time;
  });
  const reader = open();
  await expect(reader.read()).rejects.toThrow('The report took more than 20000 ms');
  await reader.refresh(organizationId, query);
  vi.restoreAllMocks();
  expect((await reader.read()).chunkReads).toBeLessThan(4);
  await reader.stop();
}, 60_000);

it('pruning deletes the counts of pruned visits, and retains those of later ones', async () => {
  await readAndStore();
  expect(await stored.prune(9, start + 9 * day)).toBe(0);
  expect((await rows()).length).toBeGreaterThan(2);
  expect(await stored.prune(9, start + 11 * day)).toBeGreaterThan(0);
  expect(await rows()).toEqual([]);
}, 60_000);

it('refreshes what is stored of large organizations, when it lacks visits', async () => {
  now = start + 11 * day;
  const { signal } = new AbortController();
  const reader = open();
  const refreshed: string[] = [];
  const refresher = new OverviewRefresher({
    database: stored.database,
    clock: () => now,
    minVisits: 15_000,
    maxCached: 0,
    async refresh(id, of) {
      refreshed.push(id);
      await reader.refresh(id, of);
      await reader.settle();
    },
  });
  await refresher.tick(signal);
  expect(refreshed).toEqual([]);
  // As if it had many chunks.
  await sql`update organization_chunks set number = number + 1000`.execute(stored.database.read);
  await sql`update organization_chunks set number = number - 750`.execute(stored.database.read);
  await refresher.tick(signal);
  expect(refreshed).toEqual([organizationId]);
  const withoutParameters = { ...query, since: now - 30 * day, until: now };
  const { report, chunkReads } = await open().read(withoutParameters);
  expect(report).toEqual(await fresh(withoutParameters));
  expect(chunkReads).toBeLessThan(4);
  // They are fresh, also for another node.
  now += 4 * hour;
  const ofOther = new OverviewRefresher({
    database: stored.database,
    clock: () => now,
    minVisits: 15_000,
    maxCached: 0,
    refresh: async (id) => refreshed.push(id),
  });
  for (const each of [refresher, ofOther]) await each.tick(signal);
  expect(refreshed).toHaveLength(1);
  now += 8 * hour;
  for (let time = 0; time < 2; time += 1) await ofOther.tick(signal);
  expect(refreshed).toHaveLength(2);
  // New visits.
  await stored.database.writeDirectly((transaction) =>
    transaction.updateTable('overview_counts').set({ generation: start }).execute(),
  );
  now += 4 * hour;
  await ofOther.tick(signal);
  expect(refreshed).toHaveLength(3);
  // The counts of a few organizations remain in the cache, unless it takes too long.
  const cached: number[] = [];
  const caching = new OverviewRefresher({
    database: stored.database,
    clock: () => now,
    minVisits: 15_000,
    async refresh() {
      cached.push(now);
      if (cached.length === 1) throw new Error('too slow');
      if (cached.length === 4) now += 16_000;
    },
  });
  for (let time = 0; time < 100; time += 1, now += minute)
    await caching.tick(signal).catch(() => {});
  // One failed, and is repeated after an hour.
  expect(cached.map((at) => (at - (cached[0] as number)) / minute)).toEqual([0, 60, 65, 70]);
  if (stored.database.engine !== 'sqlite') return;
  const { rows: plan } = await sql<{ detail: string }>`explain query plan
    select organization_id as id from organization_chunks
    where number % 256 = 255 and last_at >= ${start}`.execute(stored.database.read);
  expect(plan.map(({ detail }) => detail).join()).toContain('organization_chunks_sample');
}, 60_000);
