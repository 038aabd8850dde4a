import { CompiledQuery, type KyselyPlugin } from 'kysely';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { toChunk } from '../../src/analytics/ingest/columns-codec.js';
import { VisitColumnsBuilder } from '../../src/analytics/ingest/visit-columns.js';
import {
  chunkRows,
  clickDayRows,
  selectOfRange,
  selectOfUrl,
  selectOfUrls,
} from '../../src/analytics/reports/read-url-rows.js';
import {
  ReportClock,
  ReportTooLargeError,
  VisitMemory,
} from '../../src/analytics/reports/report-limits.js';
import { ReportReader } from '../../src/analytics/reports/report-reader.js';
import { openReports } from '../../src/analytics/reports/report-thread.js';
import type { Database } from '../../src/storage/database.js';
import { makeVisit, month, openVisitStore, start, type VisitStore } from './visit-store.js';

let stored: VisitStore;
beforeEach(async () => {
  stored = await openVisitStore();
});
afterEach(async () => {
  vi.restoreAllMocks();
  await stored.close();
});

const keyOf = (number: number) => number.toString(16).padStart(16, '0');

/** Stores chunks of one visit each, of different visitors. */
async function storeChunks(urlId: number, count: number): Promise<void> {
  const rows = Array.from({ length: count }, (_, number) => {
    const builder = new VisitColumnsBuilder(1);
    builder.add(makeVisit({ urlId, facts: { visitorKey: keyOf(number + 1) } }));
    return { url_id: urlId, number, ...toChunk(builder.finish()) };
  });
  await stored.database.writeDirectly((transaction) =>
    stored.database.bulkInsert(transaction, 'visit_chunks', rows),
  );
}

/**
 * Creates an organization with URLs, whose visits of the month are only in the chunks of URLs, like
 * those from before version 0.2. Returns its id and theirs.
 */
async function createUrls(count: number): Promise<{ organizationId: string; urlIds: number[] }> {
  const organizationId = await stored.addOrganization('enterprise');
  await stored.database.writeDirectly((transaction) =>
    transaction
      .updateTable('organizations')
      .set({ chunks_complete_from: month.until })
      .where('id', '=', organizationId)
      .execute(),
  );
  const created = await stored.create(
    organizationId,
    Array.from({ length: count }, () => ({})),
  );
  const urlIds = created.map((each) => (each.status === 'created' ? each.id : 0));
  return { organizationId, urlIds };
}

/** Returns the database with a record of the rows that each query of a snapshot returns. */
function withRecord(database: Database) {
  const results: Record<string, unknown>[][] = [];
  const plugin: KyselyPlugin = {
    transformQuery: ({ node }) => node,
    async transformResult({ result }) {
      results.push(result.rows);
      return result;
    },
  };
  const snapshot: Database['snapshot'] = (work) =>
    database.snapshot((db) => work(db.withPlugin(plugin)));
  return { results, database: { ...database, snapshot } };
}

describe('a report of many chunks', () => {
  it('reads a bounded number of rows at a time, and counts all of them', async () => {
    await storeChunks(1, 300);
    await storeChunks(2, 1);
    const { results, database } = withRecord(stored.database);
    const { totals } = await new ReportReader(database).readClicks(1, month);
    expect(totals).toEqual({ totalClicks: 300, uniqueClicks: 300, uniqueIps: 1 });
    expect(Math.max(...results.map((rows) => rows.length))).toBe(128);
  });

  it('of all URLs reads the same, whatever URL the end of a query is in', async () => {
    const { organizationId, urlIds } = await createUrls(300);
    const counts = [127, 1, 130, 256, 3];
    for (const [index, count] of counts.entries()) {
      await storeChunks(urlIds[index] as number, count);
    }
    await storeChunks(urlIds.at(-1) as number, 5);
    const { results, database } = withRecord(stored.database);
    const reader = new ReportReader(database);
    const { totals, top } = await reader.readOverview(organizationId, month, start);
    expect(totals.totalClicks).toBe(522);
    expect(top.slice(0, 3)).toEqual([
      [urlIds[3], 256],
      [urlIds[2], 130],
      [urlIds[0], 127],
    ]);
    const chunkRows = results.filter(([row]) => row && 'visits' in row);
    expect(Math.max(...chunkRows.map((rows) => rows.length))).toBe(128);
  });

  it('of all URLs reads no rows of other organizations', async () => {
    const own = await createUrls(3);
    const other = await createUrls(3);
    for (const urlId of [...own.urlIds, ...other.urlIds]) await storeChunks(urlId, 2);
    const { results, database } = withRecord(stored.database);
    const reader = new ReportReader(database);
    const { totals } = await reader.readOverview(own.organizationId, month, start);
    expect(totals.totalClicks).toBe(6);
    const read = results.flat().flatMap(({ url_id }) => (url_id === undefined ? [] : [url_id]));
    expect(new Set(read)).toEqual(new Set(own.urlIds));
  });

  it('of all URLs reads ranges of ids, and no rows of other organizations between them', async () => {
    const own = await createUrls(300);
    const other = await createUrls(2);
    const more = await stored.create(own.organizationId, [{}, ...Array(400).fill({})]);
    own.urlIds.push(...more.map((each) => (each.status === 'created' ? each.id : 0)));
    for (const urlId of other.urlIds) await storeChunks(urlId, 2);
    const visited = [0, 1, 255, 256, 299, 300, 301, 555, 700].map((at) => own.urlIds[at] as number);
    for (const urlId of visited) await storeChunks(urlId, 2);
    await stored.store([...visited, ...other.urlIds].map((urlId) => makeVisit({ urlId })));
    const { results, database } = withRecord(stored.database);
    const reader = new ReportReader(database);
    const { totals, totalUrls, activeUrls, top } = await reader.readOverview(
      own.organizationId,
      month,
      start,
    );
    expect([totals.totalClicks, totalUrls, activeUrls]).toEqual([27, 701, 701]);
    expect(top).toEqual(visited.map((urlId) => [urlId, 3]));
    const read = results.flat().flatMap(({ url_id }) => (url_id === undefined ? [] : [url_id]));
    expect(read).toEqual(visited.flatMap((urlId) => [urlId, urlId]));
    const queries = results.filter(([row]) => row && 'visits' in row && 'url_id' in row);
    expect(queries.length).toBeLessThanOrEqual(2);
  });

  it('finds rows by the primary key on SQLite', async () => {
    const { engine, read } = stored.database;
    if (engine !== 'sqlite') return;
    const after = { urlId: 1, position: 0 };
    for (const select of [
      selectOfRange(chunkRows, after, 3, month),
      selectOfRange(clickDayRows, after, 3, month),
      selectOfUrl(chunkRows, 1, 0, month),
      selectOfUrls(chunkRows, [1, 2, 3], month),
      selectOfUrl(clickDayRows, 1, 0, month),
      selectOfUrls(clickDayRows, [1, 2, 3], month),
    ]) {
      const { sql } = select.compile(read);
      const query = CompiledQuery.raw(`explain query plan ${sql.replaceAll('?', '0')}`);
      const { rows } = await read.executeQuery<{ detail: string }>(query);
      expect(rows.map(({ detail }) => detail).join()).toMatch(
        /^SEARCH \w+ USING PRIMARY KEY \((?:url_id=\?|\(url_id,\w+\)>\(\?,\?\) AND url_id<\?)/,
      );
    }
  });
});

describe('a report that needs too much', () => {
  it('memory for the keys of visitors fails, releases it, and others do not fail', async () => {
    await stored.store(
      Array.from({ length: 4_000 }, (_, index) =>
        makeVisit({ urlId: 1, facts: { visitorKey: keyOf(index), addressKey: keyOf(index) } }),
      ),
    );
    await stored.store([makeVisit({ urlId: 2 })]);
    const memory = new VisitMemory(64 * 1024);
    const reader = new ReportReader(stored.database, memory);
    await expect(reader.readClicks(1, month)).rejects.toThrow(ReportTooLargeError);
    await expect(reader.readClicks(1, month)).rejects.toThrow(/choose a shorter window/);
    expect(memory.usedBytes).toBe(0);
    expect((await reader.readClicks(2, month)).totals.totalClicks).toBe(1);
    expect(memory.usedBytes).toBe(0);
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

describe('a long report of one organization', () => {
  it('delays no report of another organization', async () => {
    await stored.store([makeVisit({ urlId: 1 }), makeVisit({ urlId: 2 })]);
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
    const long = [1, 2, 3].map(() => reports.read('first', 'readClicks', 1, month));
    await expect.poll(() => snapshots, { message: 'reports that run' }).toBe(2);
    const report = await reports.read('second', 'readClicks', 2, month);
    expect(JSON.parse(report).totals.totalClicks).toBe(1);
    // One organization has at most two of the four slots.
    expect(reports.queue.figures).toMatchObject({ running: 2, waiting: 1 });
    release();
    expect(await Promise.all(long)).toHaveLength(3);
    await reports.thread.stop();
  });
});
