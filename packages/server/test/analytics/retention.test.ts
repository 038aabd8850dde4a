import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ChunkRepository } from '../../src/analytics/ingest/chunk-repository.js';
import { VisitCompactor } from '../../src/analytics/ingest/visit-compactor.js';
import { VisitPruner } from '../../src/analytics/ingest/visit-pruner.js';
import { VisitRepository } from '../../src/analytics/ingest/visit-repository.js';
import type { Visit } from '../../src/analytics/journal/visit.js';
import { diagnoseClicks, mendCounters } from '../../src/analytics/reports/click-doctor.js';
import { ClickReader } from '../../src/analytics/reports/click-reader.js';
import { EventOutbox } from '../../src/events/event-outbox.js';
import { openRepository, type Stored } from '../storage/temporary-database.js';
import { storedVisits } from './stored-visits.js';

const start = Date.UTC(2030, 0, 1);
const hour = 60 * 60 * 1000;
const day = 24 * hour;
const month = { since: start, until: start + 30 * day, groupBy: 'day', limit: 10 } as const;

let stored: Stored;
let chunks: ChunkRepository;
let visits: VisitRepository;
let reader: ClickReader;
let offset: number;
beforeEach(async () => {
  stored = await openRepository();
  chunks = new ChunkRepository(stored.database);
  visits = new VisitRepository(stored.database, {
    outbox: new EventOutbox(stored.database, { newId: () => 'event' }),
    thresholds: [],
  });
  reader = new ClickReader(stored.database);
  offset = 0;
});
afterEach(() => stored.close());

/** Stores visits of one person an hour, and sorts them into chunks. */
async function store(urlId: number, from: number, count: number, kind: 'human' | 'bot' = 'human') {
  const batch = Array.from(
    { length: count },
    (_, index): Visit => ({
      urlId,
      visitedAt: from + index * hour,
      isByCode: false,
      facts: {
        kind,
        reason: kind === 'human' ? 'browser' : 'isbot',
        country: 'DE',
        deviceType: 'mobile',
        browser: 'Firefox',
        os: 'Android',
        referrerDomain: 'news.example',
        referrerType: 'other',
        visitorKey: '00000000000000aa',
        addressKey: '00000000000000bb',
        scannerApp: null,
        evidence: 0,
      },
    }),
  );
  const position = { segment: 1, offset };
  offset += count;
  await visits.store('writer', position, { segment: 1, offset }, batch, from);
  await new VisitCompactor({ chunks, clock: () => from + 365 * day }).runOnce();
}

const prune = (retentionDays: number | undefined, now: number) =>
  new VisitPruner({ chunks, clock: () => now, retentionDays }).runOnce();

describe('visits that have been kept long enough', () => {
  it('are forgotten day by day, and their clicks stay in totals, breakdowns and series', async () => {
    await store(1, start, 72);
    await store(1, start, 5, 'bot');
    await store(2, start + 2 * day, 3);
    const before = await reader.readUrl(1, month);
    // At noon of the fourth day, two days are kept: the first day goes as a whole.
    expect(await prune(2, start + 3 * day + 12 * hour)).toBe(1);
    expect(await storedVisits(stored.database)).toHaveLength(48 + 3);
    const after = await reader.readUrl(1, month);
    expect(after.totals.totalClicks).toBe(72);
    expect(after.breakdowns).toEqual(before.breakdowns);
    expect(after.timeseries).toEqual(before.timeseries);
    // The one visitor cannot be told from himself of the day that is forgotten.
    expect(before.totals.uniqueClicks).toBe(1);
    expect(after.totals).toEqual({ totalClicks: 72, uniqueClicks: 2, uniqueIps: 2 });
    expect((await reader.readUrl(1, { ...month, groupBy: 'hour' })).timeseries).toEqual(
      expect.arrayContaining([
        { bucket: '2030-01-01T05:00:00.000Z', clicks: 1, uniques: 1 },
        { bucket: '2030-01-02T05:00:00.000Z', clicks: 1, uniques: 1 },
      ]),
    );
    expect((await reader.readUrl(2, month)).totals.totalClicks).toBe(3);
  });

  it('are kept for ever unless it is set', async () => {
    await store(1, start, 10);
    expect(await prune(undefined, start + 9_999 * day)).toBe(0);
    expect(await storedVisits(stored.database)).toHaveLength(10);
  });

  it('are forgotten once, however often it is done, and those that come late as well', async () => {
    await store(1, start, 10);
    expect(await prune(1, start + 5 * day)).toBe(1);
    expect(await prune(1, start + 5 * day)).toBe(0);
    await store(1, start, 4);
    expect(await prune(1, start + 5 * day)).toBe(1);
    expect(await storedVisits(stored.database)).toEqual([]);
    expect((await reader.readUrl(1, month)).totals.totalClicks).toBe(14);
    expect((await diagnoseClicks(stored.database)).faults).toEqual([]);
  });
});

describe('the doctor', () => {
  it('finds that visits, counters and series agree, pruned days and all', async () => {
    await store(1, start, 72);
    await store(2, start, 7, 'bot');
    await prune(2, start + 3 * day);
    expect(await diagnoseClicks(stored.database)).toEqual({
      links: 1,
      visits: 48,
      clicks: 72,
      inSeries: 72,
      faults: [],
    });
  });

  it('finds counters that are wrong, and mends them without losing what comes meanwhile', async () => {
    await store(1, start, 5);
    await store(2, start, 3);
    await stored.database.write(async (transaction) => {
      await transaction
        .updateTable('url_clicks')
        .set({ clicks: 9 })
        .where('url_id', '=', 1)
        .execute();
      await transaction.deleteFrom('url_clicks').where('url_id', '=', 2).execute();
      await transaction.insertInto('url_clicks').values({ url_id: 3, clicks: 1 }).execute();
    });
    const { faults } = await diagnoseClicks(stored.database);
    expect(faults).toEqual([
      { urlId: 1, counted: 9, clicks: 5 },
      { urlId: 2, counted: 0, clicks: 3 },
      { urlId: 3, counted: 1, clicks: 0 },
    ]);
    await store(1, start + day, 2);
    await mendCounters(stored.database, faults);
    expect((await diagnoseClicks(stored.database)).faults).toEqual([]);
    const counters = await stored.database.read.selectFrom('url_clicks').selectAll().execute();
    expect(counters).toEqual([
      { url_id: 1, clicks: 7 },
      { url_id: 2, clicks: 3 },
      { url_id: 3, clicks: 0 },
    ]);
  });
});
