import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { pruneVisits, retentionOf } from '../../src/analytics/ingest/visit-pruner.js';
import { diagnoseClicks, repairClickCounters } from '../../src/analytics/reports/visit-doctor.js';
import type { Database } from '../../src/storage/database.js';
import { diagnoseOrganizationChunks } from './organization-chunks.js';
import { storedVisits } from './stored-visits.js';
import {
  day,
  hour,
  makeVisit,
  month,
  openVisitStore,
  start,
  type VisitStore,
} from './visit-store.js';

let stored: VisitStore;
beforeEach(async () => {
  stored = await openVisitStore();
});
afterEach(() => stored.close());

/** Stores visits of one person, one an hour, and compacts them. */
async function store(urlId: number, from: number, count: number, kind: 'human' | 'bot' = 'human') {
  const reason = kind === 'human' ? 'browser' : 'isbot';
  const batch = Array.from({ length: count }, (_, index) =>
    makeVisit({ urlId, visitedAt: from + index * hour, facts: { kind, reason } }),
  );
  await stored.store(batch, from);
  await stored.compact();
}

describe('retention', () => {
  it('prunes entire days, whose clicks stay in totals, breakdowns and time series', async () => {
    await store(1, start, 72);
    await store(1, start, 5, 'bot');
    await store(2, start + 2 * day, 3);
    const before = await stored.reader.readClicks(1, month);
    // At noon of the fourth day, a retention of two days includes the second day.
    expect(await stored.prune(2, start + 3 * day + 12 * hour)).toBe(1);
    expect(await storedVisits(stored.database)).toHaveLength(48 + 3);
    const after = await stored.reader.readClicks(1, month);
    expect(after.totals.totalClicks).toBe(72);
    expect(after.breakdowns).toEqual(before.breakdowns);
    expect(after.timeseries).toEqual(before.timeseries);
    // The keys of a pruned day are deleted, so the same visitor counts again on the other days.
    expect(before.totals.uniqueClicks).toBe(1);
    expect(after.totals).toEqual({ totalClicks: 72, uniqueClicks: 2, uniqueIps: 2 });
    expect([before.uniquesAre, after.uniquesAre]).toEqual(['exact', 'daily sum']);
    const later = await stored.reader.readClicks(1, { ...month, since: start + 2 * day });
    expect(later.uniquesAre).toBe('exact');
    expect((await stored.reader.readClicks(1, { ...month, groupBy: 'hour' })).timeseries).toEqual(
      expect.arrayContaining([
        { bucket: '2030-01-01T05:00:00.000Z', clicks: 1, uniques: 1 },
        { bucket: '2030-01-02T05:00:00.000Z', clicks: 1, uniques: 1 },
      ]),
    );
    expect((await stored.reader.readClicks(2, month)).totals.totalClicks).toBe(3);
  });

  it('keeps every visit of the 30 days before any time of day with the smallest setting', async () => {
    const retentionDays = retentionOf(1);
    await store(1, start, 32 * 24);
    for (const hours of [0, 1, 12, 23, 24]) {
      const now = start + 31 * day + hours * hour;
      await stored.prune(retentionDays, now);
      const window = { ...month, since: now - 30 * day, until: now };
      const report = await stored.reader.readClicks(1, window);
      expect([report.totals.totalClicks, report.uniquesAre]).toEqual([30 * 24, 'exact']);
    }
    expect(await storedVisits(stored.database)).toHaveLength(31 * 24);
  });

  it('prunes nothing without a retention period', async () => {
    await store(1, start, 10);
    expect(await stored.prune(undefined, start + 9_999 * day)).toBe(0);
    expect(await storedVisits(stored.database)).toHaveLength(10);
  });

  it('prunes a day once, and adds late visits to it', async () => {
    await store(1, start, 10);
    expect(await stored.prune(1, start + 5 * day)).toBe(1);
    expect(await stored.prune(1, start + 5 * day)).toBe(0);
    await store(1, start, 4);
    expect(await stored.prune(1, start + 5 * day)).toBe(1);
    expect(await storedVisits(stored.database)).toEqual([]);
    expect((await stored.reader.readClicks(1, month)).totals.totalClicks).toBe(14);
    expect((await diagnoseClicks(stored.database)).wrongCounters).toEqual([]);
  });
});

describe('the chunks of an organization', () => {
  const addUrl = async () => {
    const id = await stored.addOrganization('enterprise');
    const [created] = await stored.create(id, [{}]);
    return { id, urlId: created?.status === 'created' ? created.id : 0 };
  };
  const chunksOf = (id: string) =>
    stored.database.read
      .selectFrom('organization_chunks')
      .select(['first_at', 'visit_count'])
      .where('organization_id', '=', id)
      .execute();

  it('lose pruned visits, which overviews read by link', async () => {
    const { id, urlId } = await addUrl();
    await store(urlId, start, 72);
    expect(await chunksOf(id)).toEqual([{ first_at: start, visit_count: 72 }]);
    // The pruning is killed after the visits of the link.
    let writes = 0;
    const writeDirectly: Database['writeDirectly'] = async (work, lock) => {
      writes += 1;
      if (writes > 1) throw new Error('killed');
      return stored.database.writeDirectly(work, lock);
    };
    const database = { ...stored.database, writeDirectly };
    const clock = () => start + 3 * day + 12 * hour;
    await expect(pruneVisits({ database, clock, retentionDays: 2 })).rejects.toThrow();
    expect(await chunksOf(id)).toEqual([{ first_at: start, visit_count: 72 }]);
    const killed = await stored.reader.readOverview(id, month, start);
    expect([killed.totals.totalClicks, killed.uniquesAre]).toEqual([72, 'daily sum']);
    await stored.prune(2, clock());
    expect(await chunksOf(id)).toEqual([{ first_at: start + day, visit_count: 48 }]);
    // Arrives after its day was pruned.
    await store(urlId, start + hour, 1);
    for (const prunes of [false, true]) {
      if (prunes) await stored.prune(2, clock());
      const { totals, timeseries } = await stored.reader.readOverview(id, month, start);
      expect(totals.totalClicks).toBe(73);
      expect(timeseries.slice(0, 4).map(({ clicks }) => clicks)).toEqual([25, 24, 24, 0]);
    }
    expect(await diagnoseOrganizationChunks(stored.database)).toEqual([]);
    await stored.prune(2, start + 30 * day);
    expect(await chunksOf(id)).toEqual([]);
    const { totals } = await stored.reader.readOverview(id, month, start);
    expect(totals.totalClicks).toBe(73);
  });
});

describe('the doctor', () => {
  it('finds no error when visits and counters agree, pruned days included', async () => {
    await store(1, start, 72);
    await store(2, start, 7, 'bot');
    await stored.prune(2, start + 3 * day);
    expect(await diagnoseClicks(stored.database)).toEqual({
      links: 1,
      visits: 48,
      clicks: 72,
      wrongCounters: [],
      damaged: [],
    });
  });

  it('finds wrong counters, and repairs them without losing later clicks', async () => {
    await store(1, start, 5);
    await store(2, start, 3);
    await stored.database.writeDirectly(async (transaction) => {
      await transaction
        .updateTable('url_clicks')
        .set({ clicks: 9 })
        .where('url_id', '=', 1)
        .execute();
      await transaction.deleteFrom('url_clicks').where('url_id', '=', 2).execute();
      await transaction.insertInto('url_clicks').values({ url_id: 3, clicks: 1 }).execute();
    });
    const { wrongCounters } = await diagnoseClicks(stored.database);
    expect(wrongCounters).toEqual([
      { id: 1, counted: 9, actual: 5 },
      { id: 2, counted: 0, actual: 3 },
      { id: 3, counted: 1, actual: 0 },
    ]);
    await store(1, start + day, 2);
    await repairClickCounters(stored.database, wrongCounters);
    expect((await diagnoseClicks(stored.database)).wrongCounters).toEqual([]);
    const counters = await stored.database.read
      .selectFrom('url_clicks')
      .select(['url_id', 'clicks'])
      .execute();
    expect(counters).toEqual([
      { url_id: 1, clicks: 7 },
      { url_id: 2, clicks: 3 },
      { url_id: 3, clicks: 0 },
    ]);
  });
});
