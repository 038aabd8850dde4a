import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { decodeColumns } from '../../src/analytics/ingest/columns-codec.js';
import { kindOf, noMachines } from '../../src/analytics/ingest/visit-columns.js';
import { pruneVisits, retentionOf } from '../../src/analytics/ingest/visit-pruner.js';
import {
  diagnoseOrganizationChunks,
  repairOrganizationChunks,
} from '../../src/analytics/reports/organization-doctor.js';
import { diagnoseClicks, repairClickCounters } from '../../src/analytics/reports/visit-doctor.js';
import type { Database } from '../../src/storage/database.js';
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

describe('visits of machines', () => {
  /** The times of the visits in the chunks of a table, in hours, with the kinds. */
  const hoursIn = async (table: 'visit_chunks' | 'organization_chunks') => {
    const rows = await stored.database.read.selectFrom(table).select('visits').execute();
    return rows.flatMap(({ visits }) => {
      const { visitedAt, dictionaries } = decodeColumns(visits);
      const { values, codes } = dictionaries.source;
      return Array.from(visitedAt, (at, index) => {
        const source = values[codes[index] as number] as string;
        return `${(at - start) / hour} ${kindOf(source)}`;
      });
    });
  };

  it('are pruned after their own period, and no count changes', async () => {
    const organizationId = await stored.addOrganization('enterprise');
    const [created] = await stored.create(organizationId, [{}]);
    const urlId = created?.status === 'created' ? created.id : 0;
    await store(urlId, start, 3);
    for (const kind of ['bot', 'head', 'prefetch', 'excluded'] as const) {
      const visit = (hours: number) =>
        makeVisit({ urlId, visitedAt: start + hours * hour, facts: { kind, reason: 'isbot' } });
      await stored.store([visit(1), visit(23), visit(24)], start);
    }
    // A link that only machines visit. Up to the last reserved id, a link without a row is a deleted one.
    await store(1_000_000, start, 2, 'bot');
    const now = start + 3 * day + 5 * hour;
    const reports = async () => [
      await stored.reader.readClicks(urlId, month),
      await stored.reader.readOverview(organizationId, month, now),
      (await diagnoseClicks(stored.database)).clicks,
    ];
    const before = await reports();
    await stored.pruneMachines(4, now);
    await stored.pruneMachines(0, start + 9_999 * day);
    expect(await storedVisits(stored.database)).toHaveLength(3 + 12 + 2);
    // At any time of the fourth day, a retention of two days includes the second day.
    await stored.pruneMachines(2, now);
    const left = [
      '0 human',
      '1 human',
      '2 human',
      '24 bot',
      '24 head',
      '24 prefetch',
      '24 excluded',
    ];
    expect(await hoursIn('visit_chunks')).toEqual(left);
    expect(await hoursIn('organization_chunks')).toEqual(left);
    expect(await reports()).toEqual(before);
    expect(await diagnoseOrganizationChunks(stored.database)).toEqual([]);
    expect((await diagnoseClicks(stored.database)).wrongCounters).toEqual([]);
    // Late visits are pruned, too.
    await store(urlId, start, 2, 'bot');
    await stored.pruneMachines(2, now);
    expect(await hoursIn('visit_chunks')).toEqual(left);
    await stored.pruneMachines(2, start + 9 * day);
    expect(await hoursIn('visit_chunks')).toEqual(left.slice(0, 3));
    expect(await hoursIn('organization_chunks')).toEqual(left.slice(0, 3));
    expect(await reports()).toEqual(before);
  });

  it('of chunks that an earlier version stored are pruned, and one that is damaged is named', async () => {
    await store(1, start, 2);
    await store(2, start, 2, 'bot');
    await store(3, start, 2, 'bot');
    const change = (row: object, urlId?: number) =>
      stored.database.writeDirectly((transaction) => {
        const update = transaction.updateTable('visit_chunks').set(row);
        return (urlId === undefined ? update : update.where('url_id', '=', urlId)).execute();
      });
    await change({ machines_from: 0 });
    await change({ visits: new Uint8Array(64).fill(0xab) }, 2);
    const pruned = stored.pruneMachines(1, start + 9 * day);
    await expect(pruned).rejects.toMatchObject({
      errors: [{ message: expect.stringContaining('url_id 2: chunk 0 cannot be read') }],
    });
    const rows = await stored.database.read
      .selectFrom('visit_chunks')
      .select(['url_id', 'machines_from'])
      .orderBy('url_id')
      .execute();
    expect(rows).toEqual([
      { url_id: 1, machines_from: noMachines },
      { url_id: 2, machines_from: 0 },
    ]);
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

  it('are replaced by those of the links when the doctor finds that they differ', async () => {
    const { id, urlId } = await addUrl();
    await store(urlId, start, 5);
    const change = (visits: Uint8Array) =>
      stored.database.writeDirectly((transaction) =>
        transaction.updateTable('organization_chunks').set({ visits }).execute(),
      );
    await change(new Uint8Array(64).fill(0xab));
    // A damaged chunk does not stop the compaction.
    await store(urlId, start + day, 3);
    const wrong = await diagnoseOrganizationChunks(stored.database);
    expect(wrong).toEqual([
      { id, counted: 3, actual: 8, since: 0, until: start + day + 2 * hour + 1 },
    ]);
    await repairOrganizationChunks(stored.database, wrong);
    expect(await diagnoseOrganizationChunks(stored.database)).toEqual([]);
    await store(urlId, start + 2 * day, 2);
    const { totals } = await stored.reader.readOverview(id, month, start);
    expect(totals.totalClicks).toBe(10);
    expect(await chunksOf(id)).toEqual([{ first_at: start + 2 * day, visit_count: 2 }]);
  });
});

describe('the doctor', () => {
  it('finds no error when visits, counters and time series agree, pruned days included', async () => {
    await store(1, start, 72);
    await store(2, start, 7, 'bot');
    await stored.prune(2, start + 3 * day);
    expect(await diagnoseClicks(stored.database)).toEqual({
      links: 1,
      visits: 48,
      clicks: 72,
      inSeries: 72,
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
