import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { maxChunkBytes, visitsPerChunk } from '../../src/analytics/ingest/columns-codec.js';
import { VisitCompactor } from '../../src/analytics/ingest/visit-compactor.js';
import type { Visit } from '../../src/analytics/journal/journal-lines.js';
import type { Database } from '../../src/storage/database.js';
import { diagnoseOrganizationChunks } from './organization-chunks.js';
import {
  day,
  makeVisit,
  openVisitStore,
  start,
  type VisitStore,
  month as window,
} from './visit-store.js';

let stored: VisitStore;
beforeEach(async () => {
  stored = await openVisitStore();
});
afterEach(() => stored.close());

/** A compactor for which every batch is due. */
const compactor = () => stored.compactorAt(start + day);

/** Returns pseudo-random visits, the same in each run. */
function randomVisits(count: number, links: number, seed: number): Visit[] {
  let state = seed;
  const below = (limit: number) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return Math.floor((state / 0x80000000) * limit);
  };
  const key = (number: number) => `0badcafe${number.toString(16).padStart(8, '0')}`;
  return Array.from({ length: count }, () => {
    const person = below(count / 4) + 1;
    return makeVisit({
      urlId: below(links) + 1,
      visitedAt: start - day + below(32 * day),
      isByCode: below(2) === 0,
      facts: {
        kind: 'human',
        country: ['DE', 'FR', 'Unknown'][below(3)] as string,
        deviceType: (['desktop', 'mobile'] as const)[below(2)] as 'desktop' | 'mobile',
        browser: `Browser ${below(300)}`,
        visitorKey: below(8) === 0 ? null : key(person),
        addressKey: key(Math.ceil(person / 2)),
        evidence: 16,
      },
    });
  });
}

/** Computes the report of a URL by filters and sets. */
function expected(all: readonly Visit[], urlId: number) {
  const clicks = all.filter(
    (visit) =>
      visit.urlId === urlId && visit.visitedAt >= window.since && visit.visitedAt < window.until,
  );
  const count = (keys: readonly (string | null)[]) => new Set(keys.filter((key) => key)).size;
  const countries = new Map<string, number>();
  for (const { facts } of clicks) {
    countries.set(facts.country, (countries.get(facts.country) ?? 0) + 1);
  }
  return {
    totals: {
      totalClicks: clicks.length,
      uniqueClicks: count(clicks.map(({ facts }) => facts.visitorKey)),
      uniqueIps: count(clicks.map(({ facts }) => facts.addressKey)),
    },
    countries: Object.fromEntries(countries),
    uniques: Array.from({ length: 30 }, (_, index) =>
      count(
        clicks
          .filter(({ visitedAt }) => Math.floor((visitedAt - start) / day) === index)
          .map(({ facts }) => facts.visitorKey),
      ),
    ),
  };
}

async function expectReports(all: readonly Visit[], links: number): Promise<void> {
  for (let urlId = 1; urlId <= links; urlId += 1) {
    const { totals, breakdowns, timeseries } = await stored.reader.readClicks(urlId, window);
    expect({
      totals,
      countries: Object.fromEntries(
        breakdowns.country.map(({ country, clicks }) => [country, clicks]),
      ),
      uniques: timeseries.map(({ uniques }) => uniques),
    }).toEqual(expected(all, urlId));
  }
}

const rows = async (table: 'visit_batches' | 'visit_chunks') =>
  stored.database.read.selectFrom(table).select('visit_count').execute();

describe('compaction', () => {
  it('leaves reports exact: before it, after it, and with later visits', async () => {
    const all = randomVisits(9_000, 4, 1);
    await stored.store(all.slice(0, 2_000));
    await stored.store(all.slice(2_000, 5_000));
    await expectReports(all.slice(0, 5_000), 4);
    await compactor().compact();
    expect(await rows('visit_batches')).toEqual([]);
    await expectReports(all.slice(0, 5_000), 4);
    await stored.store(all.slice(5_000));
    await expectReports(all, 4);
    await compactor().compact();
    await expectReports(all, 4);
    for (const { visit_count } of await rows('visit_chunks')) {
      expect(visit_count).toBeLessThanOrEqual(visitsPerChunk);
    }
  });

  it('fills a chunk before it begins the next one', async () => {
    const all = randomVisits(visitsPerChunk * 2, 1, 2);
    const ends = [visitsPerChunk - 1, visitsPerChunk, visitsPerChunk * 2];
    for (const [index, end] of ends.entries()) {
      await stored.store(all.slice(ends[index - 1] ?? 0, end));
      await compactor().compact();
    }
    expect((await rows('visit_chunks')).map(({ visit_count }) => visit_count)).toEqual([
      visitsPerChunk,
      visitsPerChunk,
    ]);
    await expectReports(all, 1);
  });

  it('begins a new chunk when strangers sent long texts', async () => {
    const names = ['utmSource', 'utmMedium', 'utmCampaign', 'utmTerm', 'utmContent'] as const;
    const hostile = (count: number, from: number) =>
      Array.from({ length: count }, (_, at) =>
        makeVisit({
          facts: {
            campaign: Object.fromEntries(
              names.map((name) => [name, `${name}${from + at}`.padEnd(100, '\u{1F600}')]),
            ),
          },
        }),
      );
    for (const [part, count] of [1_500, 3, 700].entries()) {
      await stored.store(hostile(count, part * 10_000));
      await compactor().compact();
    }
    const chunks = await stored.database.read
      .selectFrom('visit_chunks')
      .select(['visit_count', 'visits'])
      .orderBy('number')
      .execute();
    expect(chunks.reduce((sum, { visit_count }) => sum + visit_count, 0)).toBe(2_203);
    expect(chunks.length).toBeGreaterThan(3);
    const visitBytes = 5 * 450;
    for (const { visits } of chunks) {
      expect(visits.length).toBeLessThan(maxChunkBytes + visitBytes);
    }
    const report = await stored.reader.readClicks(1, window);
    expect(report.totals.totalClicks).toBe(2_203);
  });

  it('begins when a batch is a minute old', async () => {
    await stored.store(randomVisits(100, 1, 3));
    await stored.compactorAt(start + 59_000).compact();
    expect(await rows('visit_batches')).toHaveLength(1);
    await stored.compactorAt(start + 60_000).compact();
    expect(await rows('visit_batches')).toEqual([]);
  });

  it('ends after the transaction in progress when the server stops, and is continued', async () => {
    const links = 1_200;
    const all = randomVisits(4_000, links, 5);
    await stored.store(all);
    const stopping = new AbortController();
    let writes = 0;
    const database: Database = {
      ...stored.database,
      writeDirectly(work, lock) {
        writes += 1;
        // The first write begins the compaction.
        if (writes === 2) stopping.abort();
        return stored.database.writeDirectly(work, lock);
      },
    };
    await new VisitCompactor({ database, clock: () => start + day }).compact(stopping.signal);
    expect(writes).toBe(2);
    expect(await rows('visit_batches')).toHaveLength(1);
    expect((await rows('visit_chunks')).length).toBeLessThan(links);
    await compactor().compact();
    expect(await rows('visit_batches')).toEqual([]);
    await expectReports(all, 10);
  });

  it('counts each visit once when it is killed and continued', async () => {
    const links = 1_200;
    const all = randomVisits(4_000, links, 4);
    await stored.store(all);
    // It begins, stores its first chunks, and is killed.
    let writes = 0;
    const writeDirectly: Database['writeDirectly'] = async (work, lock) => {
      writes += 1;
      if (writes > 2) throw new Error('killed');
      return stored.database.writeDirectly(work, lock);
    };
    const database = { ...stored.database, writeDirectly };
    const killed = new VisitCompactor({ database, clock: () => start + day });
    await expect(killed.compact()).rejects.toThrow('killed');
    expect(await rows('visit_batches')).toHaveLength(1);
    expect((await rows('visit_chunks')).length).toBeGreaterThan(100);
    for (const urlId of [1, 2, 499, 500, 501, 502, 1_000, 1_200]) {
      expect((await stored.reader.readClicks(urlId, window)).totals).toEqual(
        expected(all, urlId).totals,
      );
    }
    await stored.store(randomVisits(500, links, 5));
    await compactor().compact();
    const sum = (await rows('visit_chunks')).reduce((total, row) => total + row.visit_count, 0);
    const waiting = (await rows('visit_batches')).reduce(
      (total, row) => total + row.visit_count,
      0,
    );
    expect(sum + waiting).toBe(4_500);
  });

  it('shows each visit once in overviews, wherever it is killed', async () => {
    const links = 240;
    const organizations = new Map<string, number[]>();
    for (let made = 0; made < 3; made += 1) {
      const id = await stored.addOrganization('enterprise');
      const created = await stored.create(id, Array(links / 3).fill({}));
      organizations.set(
        id,
        created.map((each) => (each.status === 'created' ? each.id : 0)),
      );
    }
    let all: Visit[] = [];
    let killedAfter = 0;
    const writeDirectly: Database['writeDirectly'] = async (work, lock) => {
      if (killedAfter === 0) throw new Error('killed');
      killedAfter -= 1;
      return stored.database.writeDirectly(work, lock);
    };
    const database = { ...stored.database, writeDirectly };
    const killable = new VisitCompactor({ database, clock: () => start + day });
    const totals = (visits: readonly Visit[]) => {
      const clicks = visits.filter(
        ({ visitedAt, facts }) =>
          facts.kind === 'human' && visitedAt >= window.since && visitedAt < window.until,
      );
      const distinct = (keys: readonly (string | null)[]) => new Set(keys.filter(Boolean)).size;
      return {
        totalClicks: clicks.length,
        uniqueClicks: distinct(clicks.map(({ facts }) => facts.visitorKey)),
        uniqueIps: distinct(clicks.map(({ facts }) => facts.addressKey)),
      };
    };
    // The first link has several chunks, and its organization needs several transactions.
    const hot = randomVisits(10_000, 1, 7);
    for (const visits of [hot, randomVisits(3_000, links, 8), randomVisits(900, links, 9)]) {
      all = all.concat(visits);
      await stored.store(visits);
      let killed = true;
      for (let writes = 1; killed; writes += 1) {
        killedAfter = 1;
        killed = await killable.compact().then(
          () => false,
          () => true,
        );
        for (const [id, urlIds] of organizations) {
          const report = await stored.reader.readOverview(id, window, start);
          const own = all.filter(({ urlId }) => urlIds.includes(urlId));
          expect(report.totals).toEqual(totals(own));
        }
        expect(writes).toBeLessThan(50);
      }
      expect(await rows('visit_batches')).toEqual([]);
    }
    const copied = await stored.database.read
      .selectFrom('organization_chunks')
      .select(['organization_id', 'visit_count'])
      .execute();
    expect(copied.reduce((sum, { visit_count }) => sum + visit_count, 0)).toBe(all.length);
    expect(await diagnoseOrganizationChunks(stored.database)).toEqual([]);
  });

  it('counts each visit once when two compactors run at the same time', async () => {
    const all = randomVisits(3_000, 900, 6);
    await stored.store(all);
    await Promise.all([compactor().compact(), compactor().compact()]);
    const sum = (await rows('visit_chunks')).reduce((total, row) => total + row.visit_count, 0);
    expect(sum).toBe(3_000);
    expect(await rows('visit_batches')).toEqual([]);
  });
});
