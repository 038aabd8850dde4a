import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ReportClock } from '../../src/analytics/reports/report-limits.js';
import { ReportReader } from '../../src/analytics/reports/report-reader.js';
import { openReports } from '../../src/analytics/reports/report-thread.js';
import {
  makeVisit,
  month,
  openVisitStore,
  start,
  type VisitStore,
  withRecord,
} from './visit-store.js';

let stored: VisitStore;
beforeEach(async () => {
  stored = await openVisitStore();
});
afterEach(async () => {
  vi.restoreAllMocks();
  await stored.close();
});

async function createLinks() {
  const { organizationId, urlIds } = await stored.createLinks(2);
  const [first, second] = urlIds as [number, number];
  return { organizationId, first, second };
}

it('a report reads few rows at a time, and none of other organizations', async () => {
  const own = await createLinks();
  const other = await createLinks();
  for (let row = 0; row < 70; row += 1) {
    const urlIds = [own.first, own.second, other.first];
    await stored.store(urlIds.map((urlId) => makeVisit({ urlId, visitedAt: start + row })));
  }
  const { rowsOfVisits, database } = withRecord(stored.database);
  const reader = new ReportReader(database);
  const { organizationId, first, second } = own;
  const { totals, top } = await reader.readOverview(organizationId, month, start);
  expect(totals.totalClicks).toBe(140);
  expect(top).toEqual([first, second].map((urlId) => [urlId, 70]));
  const report = await reader.readClicks(organizationId, first, month);
  expect(report.totals.totalClicks).toBe(70);
  expect(Math.max(...rowsOfVisits().map(({ length }) => length))).toBe(32);
  const ids = new Set(
    rowsOfVisits()
      .flat()
      .map(({ id }) => Number(id)),
  );
  const rows = await stored.database.read
    .selectFrom('visits')
    .select(['id', 'organization_id'])
    .execute();
  const owners = rows.filter(({ id }) => ids.has(id)).map((row) => row.organization_id);
  expect(new Set(owners)).toEqual(new Set([organizationId]));
});

it('a page of the list of visits reads the rows of its time only', async () => {
  const { organizationId, first } = await createLinks();
  for (let row = 0; row < 40; row += 1) {
    const visits = Array.from({ length: 500 }, (_, at) =>
      makeVisit({ urlId: first, visitedAt: start + row * 500 + at }),
    );
    await stored.store(visits);
  }
  const { rowsOfVisits, database } = withRecord(stored.database);
  const query = { since: start, until: month.until, conditions: [], limit: 100 };
  const reader = new ReportReader(database);
  const { count, next } = await reader.readVisits(organizationId, query, start, {});
  expect([count, next]).toEqual([100, { at: start + 99, skipped: 1 }]);
  // Of 40.
  expect(rowsOfVisits().flat().length).toBeLessThanOrEqual(2);
});

describe('a report that needs too much', () => {
  it('memory for the keys of visitors fails, and others do not fail', async () => {
    const { organizationId, first, second } = await createLinks();
    await stored.store(Array.from({ length: 4_000 }, () => makeVisit({ urlId: first })));
    await stored.store([makeVisit({ urlId: second, visitedAt: start + 1 })]);
    const reader = new ReportReader(stored.database, 64 * 1024);
    const report = reader.readClicks(organizationId, first, month);
    await expect(report).rejects.toThrow(/choose a shorter window/);
    expect((await reader.readClicks(organizationId, second, month)).totals.totalClicks).toBe(1);
  });

  it('processing time fails, and pauses until then', async () => {
    let now = 0;
    vi.spyOn(performance, 'now').mockImplementation(() => now);
    const clock = new ReportClock(100);
    let turns = 0;
    setImmediate(() => {
      turns += 1;
    });
    now += 60;
    await clock.pause();
    expect(turns).toBe(1);
    // Other reports take their turn.
    now += 60;
    const later = new ReportClock(100);
    await later.pause();
    now += 50;
    await expect(clock.pause()).rejects.toThrow(
      'The report took more than 100 ms; choose a shorter window',
    );
  });
});

it('a long report of one organization delays no report of another organization', async () => {
  const { organizationId, first } = await createLinks();
  const other = await createLinks();
  await stored.store([makeVisit({ urlId: other.first })]);
  let release: () => void = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  let snapshots = 0;
  const reports = openReports({
    isThreaded: false,
    storage: { databaseUrl: stored.databaseUrl, durability: 'process' },
    database: {
      ...stored.database,
      snapshot: (work) =>
        stored.database.snapshot(async (db) => {
          snapshots += 1;
          // The first two reports do not end by themselves.
          if (snapshots <= 2) await released;
          return work(db);
        }),
    },
    logger: pino({ level: 'silent' }),
  });
  const long = [1, 2, 3].map(() => reports.read('readClicks', organizationId, first, month));
  await expect.poll(() => snapshots, { message: 'reports that run' }).toBe(2);
  const report = await reports.read('readClicks', other.organizationId, other.first, month);
  expect(JSON.parse(report).totals.totalClicks).toBe(1);
  // One organization has at most two of the four slots.
  expect(reports.queue.figures).toMatchObject({ running: 2, waiting: 1 });
  release();
  expect(await Promise.all(long)).toHaveLength(3);
  await reports.thread.stop();
});
