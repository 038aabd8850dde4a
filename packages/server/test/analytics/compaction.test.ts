import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ChunkRepository, visitsPerChunk } from '../../src/analytics/ingest/chunk-repository.js';
import { VisitCompactor } from '../../src/analytics/ingest/visit-compactor.js';
import { VisitRepository } from '../../src/analytics/ingest/visit-repository.js';
import type { Visit } from '../../src/analytics/journal/visit.js';
import { ClickReader } from '../../src/analytics/reports/click-reader.js';
import { EventOutbox } from '../../src/events/event-outbox.js';
import { openRepository, type Stored } from '../storage/temporary-database.js';

const start = Date.UTC(2030, 0, 1);
const day = 24 * 60 * 60 * 1000;
const window = { since: start, until: start + 30 * day, groupBy: 'day', limit: 50 } as const;

let stored: Stored;
let chunks: ChunkRepository;
let visits: VisitRepository;
let reader: ClickReader;
beforeEach(async () => {
  stored = await openRepository();
  chunks = new ChunkRepository(stored.database);
  visits = new VisitRepository(stored.database, {
    outbox: new EventOutbox(stored.database, { newId: () => 'event' }),
    thresholds: [],
  });
  reader = new ClickReader(stored.database);
});
afterEach(() => stored.close());

let offset = 0;
async function store(batch: readonly Visit[]): Promise<void> {
  const from = { segment: 1, offset };
  offset += batch.length;
  expect(await visits.store('writer', from, { segment: 1, offset }, batch, start)).toBe(true);
}
beforeEach(() => {
  offset = 0;
});

/** A compactor for which everything is old enough. */
const compactor = () => new VisitCompactor({ chunks, clock: () => start + day });

/** Random in looks, the same in every run. */
function randomVisits(count: number, links: number, seed: number): Visit[] {
  let state = seed;
  const below = (limit: number) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return Math.floor((state / 0x80000000) * limit);
  };
  const key = (number: number) => `0badcafe${number.toString(16).padStart(8, '0')}`;
  return Array.from({ length: count }, () => {
    const person = below(count / 4) + 1;
    return {
      urlId: below(links) + 1,
      visitedAt: start - day + below(32 * day),
      isByCode: below(2) === 0,
      facts: {
        kind: below(10) === 0 ? 'bot' : 'human',
        reason: 'browser',
        country: ['DE', 'FR', 'Unknown'][below(3)] as string,
        deviceType: (['desktop', 'mobile'] as const)[below(2)] as 'desktop' | 'mobile',
        browser: `Browser ${below(300)}`,
        os: 'Linux',
        referrerDomain: '(direct)',
        referrerType: 'direct',
        visitorKey: below(8) === 0 ? null : key(person),
        addressKey: key(Math.ceil(person / 2)),
        scannerApp: null,
        evidence: 16,
      },
    };
  });
}

/** What the report of a link must say, counted the slow way. */
function expected(all: readonly Visit[], urlId: number) {
  const clicks = all.filter(
    (visit) =>
      visit.urlId === urlId &&
      visit.facts.kind === 'human' &&
      visit.visitedAt >= window.since &&
      visit.visitedAt < window.until,
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
    const { totals, breakdowns, timeseries } = await reader.readUrl(urlId, window);
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

describe('visits that are sorted into chunks', () => {
  it('are counted exactly: before, after, and with more that come later', async () => {
    const all = randomVisits(9_000, 4, 1);
    await store(all.slice(0, 2_000));
    await store(all.slice(2_000, 5_000));
    await expectReports(all.slice(0, 5_000), 4);
    await compactor().runOnce();
    expect(await rows('visit_batches')).toEqual([]);
    await expectReports(all.slice(0, 5_000), 4);
    await store(all.slice(5_000));
    await expectReports(all, 4);
    await compactor().runOnce();
    await expectReports(all, 4);
    for (const { visit_count } of await rows('visit_chunks')) {
      expect(visit_count).toBeLessThanOrEqual(visitsPerChunk);
    }
  });

  it('fill up one chunk before the next is begun', async () => {
    const all = randomVisits(visitsPerChunk * 2, 1, 2);
    for (const until of [visitsPerChunk - 1, visitsPerChunk, visitsPerChunk * 2]) {
      await store(all.slice(offset, until));
      await compactor().runOnce();
    }
    expect((await rows('visit_chunks')).map(({ visit_count }) => visit_count)).toEqual([
      visitsPerChunk,
      visitsPerChunk,
    ]);
    await expectReports(all, 1);
  });

  it('wait until there are many of them or some are old', async () => {
    await store(randomVisits(100, 1, 3));
    await new VisitCompactor({ chunks, clock: () => start + 59_000 }).runOnce();
    expect(await rows('visit_batches')).toHaveLength(1);
    await new VisitCompactor({ chunks, clock: () => start + 60_000 }).runOnce();
    expect(await rows('visit_batches')).toEqual([]);
  });

  it('are counted once by a sorter that is stopped in the middle, and by the next one', async () => {
    const links = 1_200;
    const all = randomVisits(4_000, links, 4);
    await store(all);
    // Its first transaction sorts some links; then it is gone.
    const stopped = compactor().runOnce(() => Promise.reject(new Error('killed')));
    await expect(stopped).rejects.toThrow('killed');
    expect(await rows('visit_batches')).toHaveLength(1);
    expect((await rows('visit_chunks')).length).toBeGreaterThan(100);
    for (const urlId of [1, 2, 499, 500, 501, 502, 1_000, 1_200]) {
      expect((await reader.readUrl(urlId, window)).totals).toEqual(expected(all, urlId).totals);
    }
    await store(randomVisits(500, links, 5));
    await compactor().runOnce();
    const sum = (await rows('visit_chunks')).reduce((total, row) => total + row.visit_count, 0);
    const waiting = (await rows('visit_batches')).reduce(
      (total, row) => total + row.visit_count,
      0,
    );
    expect(sum + waiting).toBe(4_500);
  });

  it('are counted once when two sort at the same time', async () => {
    const all = randomVisits(3_000, 900, 6);
    await store(all);
    await Promise.all([compactor().runOnce(), compactor().runOnce()]);
    const sum = (await rows('visit_chunks')).reduce((total, row) => total + row.visit_count, 0);
    expect(sum).toBe(3_000);
    expect(await rows('visit_batches')).toEqual([]);
  });
});
