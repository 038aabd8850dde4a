import { sql } from 'kysely';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { decodeColumns } from '../../src/analytics/ingest/columns-codec.js';
import { eraseVisits } from '../../src/analytics/ingest/erase-visits.js';
import { markErased } from '../../src/analytics/ingest/erasure-marks.js';
import type { Visit } from '../../src/analytics/journal/journal-lines.js';
import { clickDimensions } from '../../src/analytics/reports/dimensions.js';
import { Int32Pool } from '../../src/analytics/reports/int32-pool.js';
import { OverviewCache } from '../../src/analytics/reports/overview-cache.js';
import { ReportTooLargeError } from '../../src/analytics/reports/report-limits.js';
import { ReportReader } from '../../src/analytics/reports/report-reader.js';
import type { ReportQuery } from '../../src/analytics/reports/report-window.js';
import { toConditions } from '../../src/analytics/reports/visit-filter.js';
import { day, hour, makeVisit, openVisitStore, start, type VisitStore } from './visit-store.js';

let stored: VisitStore;
let organizationId: string;
let urlIds: number[];
let pool: Int32Pool;
let cache: OverviewCache;
let cached: ReportReader;
let chunkReads: number;
let urlsRead: Set<number>;

beforeEach(async () => {
  stored = await openVisitStore();
  organizationId = await stored.addOrganization('enterprise');
  const created = await stored.create(organizationId, [{}, { customSlug: 'slug' }, {}]);
  urlIds = created.map((each) => (each.status === 'created' ? each.id : 0));
  pool = new Int32Pool();
  cache = new OverviewCache(pool, { minVisits: 1, minRest: 5_000 });
  chunkReads = 0;
  urlsRead = new Set();
  cached = readerWith(cache);
});
afterEach(() => stored.close());

/** Returns a reader that counts the chunks that it reads. */
function readerWith(of: OverviewCache): ReportReader {
  return new ReportReader(
    {
      ...stored.database,
      snapshot: (work) =>
        stored.database.snapshot((db) =>
          work(
            db.withPlugin({
              transformQuery: ({ node }) => node,
              async transformResult({ result }) {
                for (const { visits } of result.rows) {
                  if (!(visits instanceof Uint8Array)) continue;
                  chunkReads += 1;
                  for (const urlId of decodeColumns(visits).urlIds) urlsRead.add(urlId);
                }
                return result;
              },
            }),
          ),
        ),
    },
    pool,
    of,
  );
}

/** Returns numbers from 0 to 1, the same in each run. */
function randomNumbers(seed: number) {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

const keyOf = (number: number) => (number + 1).toString(16).padStart(16, '0');

/** Makes visits of 400 visitors in the order of time. */
function visitsBetween(from: number, until: number, count: number, seed = count): Visit[] {
  const random = randomNumbers(seed);
  const pick = <Value>(values: readonly Value[]) =>
    values[Math.floor(random() * values.length)] as Value;
  return Array.from({ length: count }, (_, index) => {
    const visitor = Math.floor(random() * 400);
    return makeVisit({
      urlId: pick(urlIds),
      visitedAt: Math.floor(from + ((until - from) * index) / count),
      isByCode: random() < 0.5,
      facts: {
        kind: random() < 0.1 ? 'bot' : 'human',
        visitorKey: random() < 0.05 ? null : keyOf(visitor),
        addressKey: keyOf(visitor >> 1),
        country: pick(['DE', 'AT', 'Unknown']),
        browser: pick(['Firefox', 'Chrome']),
        scannerApp: pick([null, 'Lens']),
        evidence: pick([0, 16]),
      },
    });
  });
}

/** Stores and compacts visits. */
async function add(visits: readonly Visit[], { compacts = true } = {}): Promise<void> {
  for (let at = 0; at < visits.length; at += 4_000)
    await stored.store(visits.slice(at, at + 4_000));
  if (compacts) await stored.compact();
}

const windows: readonly Pick<
  ReportQuery,
  'since' | 'until' | 'groupBy' | 'timezone' | 'conditions'
>[] = [
  { since: start, until: start + 10 * day, groupBy: 'day' },
  { since: start + 5 * hour, until: start + 10 * day + 5 * hour, groupBy: 'hour' },
  { since: start, until: start + 40 * day, groupBy: 'day', timezone: 'America/New_York' },
  {
    since: start - day,
    until: start + 11 * day,
    groupBy: 'day',
    timezone: 'Asia/Kathmandu',
    conditions: toConditions(clickDimensions, { country: ['de'] }),
  },
];

/** Compares overviews that use the cache, one after another, with those that do not. */
async function check(moves = [0, 1], of = windows): Promise<void> {
  for (const move of moves) {
    for (const window of of) {
      const query = {
        ...window,
        since: window.since + move * hour,
        until: window.until + move * hour,
        limit: 50,
      };
      const read = (reader: ReportReader) =>
        reader.readOverview(organizationId, query, query.until);
      expect(await read(cached)).toEqual(await read(new ReportReader(stored.database)));
    }
  }
}

/** Sets when the QR code of a link was created and deleted. */
async function setQr(urlId: number, from: number, until: number | null = null): Promise<void> {
  const id = `qr-${urlId}`;
  await stored.database.writeDirectly(async (transaction) => {
    await transaction.deleteFrom('qr_codes').where('id', '=', id).execute();
    await transaction
      .insertInto('qr_codes')
      .values({
        id,
        organization_id: organizationId,
        url_id: urlId,
        qr_data: 'https://sho.example/code',
        format: 'png',
        size: 512,
        error_correction: 'M',
        foreground_color: '#000000',
        background_color: '#ffffff',
        style_preset: 'default',
        version: 1,
        created_at: from,
        updated_at: from,
        deleted_at: until,
      })
      .execute();
  });
}

it('reads what is not in the cache, and reports the same as without one', async () => {
  await add(visitsBetween(start, start + 10 * day, 10_000));
  await check([0]);
  expect(cache.bytes).toBeGreaterThan(0);
  const first = chunkReads;
  chunkReads = 0;
  await check();
  // Each overview reads the last chunk and the first ones of its window.
  expect(chunkReads).toBeLessThan(first);
  chunkReads = 0;
  await add(visitsBetween(start + 10 * day, start + 11 * day, 3_000));
  await add(visitsBetween(start + 11 * day, start + 11.2 * day, 500), { compacts: false });
  await check();
}, 60_000);

it('reads only rows of its organization, and lists its chunks by their index', async () => {
  const other = await stored.addOrganization('enterprise');
  const created = await stored.create(other, [{}]);
  const [theirs] = created.map((each) => (each.status === 'created' ? each.id : 0));
  const own = visitsBetween(start, start + 10 * day, 4_000);
  await add(own.flatMap((visit) => [visit, { ...visit, urlId: theirs as number }]));
  await check();
  expect([...urlsRead].sort()).toEqual([...urlIds].sort());
  if (stored.database.engine !== 'sqlite') return;
  const { rows } = await sql<{ detail: string }>`explain query plan
    select number, visit_count, first_at, last_at from organization_chunks
    where organization_id = ${organizationId} and number > ${-1}
      and last_at >= ${start} and first_at < ${start} order by number limit 10`.execute(
    stored.database.read,
  );
  expect(rows.map(({ detail }) => detail).join()).toMatch(
    /^SEARCH organization_chunks USING COVERING INDEX organization_chunks_list/,
  );
}, 60_000);

it('derives the counts of the next window from those of the last one', async () => {
  cached = readerWith(new OverviewCache(pool, { minVisits: 1, minRest: 7_000 }));
  const [first, second] = urlIds as [number, number, number];
  await setQr(first, start + 2 * day);
  await setQr(second, start + 3 * day, start + 5 * day);
  await add(visitsBetween(start, start + 18 * day, 80_000));
  const ofDays = windows.slice(0, 3).map((each) => ({ ...each, until: each.since + 12 * day }));
  for (const window of ofDays) {
    await check([0], [window]);
    // Days later, and back.
    for (const hours of [30, 48, 100, 70]) {
      chunkReads = 0;
      await check([hours], [window]);
      // About 26 chunks are in the window.
      expect(chunkReads).toBeGreaterThan(0);
      expect(chunkReads).toBeLessThan(17);
    }
  }
  // A chunk that must be removed was written again: counts all visits.
  chunkReads = 0;
  await stored.pruneMachines(1, start + 18 * day);
  await check([30], ofDays.slice(0, 1));
  expect(chunkReads).toBeGreaterThan(24);
}, 60_000);

it('counts visits that arrive late, in a bucket that is in the cache', async () => {
  await add(visitsBetween(start, start + 10 * day, 8_000));
  await check([0]);
  await add(visitsBetween(start + 3 * day, start + 4 * day, 700), { compacts: false });
  await check();
  await stored.compact();
  await check();
}, 60_000);

it('counts again after an erasure, pruned days and deleted visits of machines', async () => {
  await add(visitsBetween(start, start + 10 * day, 8_000));
  await check([0]);
  await stored.pruneMachines(1, start + 10 * day);
  await check([0]);
  await stored.database.writeDirectly((transaction) =>
    markErased(transaction, urlIds[0] as number, start + 2 * day),
  );
  expect(await eraseVisits(stored.database)).toEqual([]);
  await check([0]);
  await add(visitsBetween(start + 10 * day, start + 11 * day, 4_000));
  expect(await stored.prune(8, start + 11 * day)).toBe(3);
  // A pruned day cannot be filtered.
  await check([0], windows.slice(0, 3));
}, 60_000);

it('counts scans by the QR codes of the moment', async () => {
  const [first, second] = urlIds as [number, number, number];
  await setQr(first, start + 2 * day);
  await add(visitsBetween(start, start + 10 * day, 8_000));
  await check([0]);
  chunkReads = 0;
  await setQr(second, start + 10 * day);
  await check([0]);
  const afterNew = chunkReads;
  chunkReads = 0;
  await setQr(second, start + 3 * day, start + 5 * day);
  await check([0]);
  // Codes that were created after the visits in the cache do not matter for them.
  expect(afterNew).toBeLessThan(chunkReads);
}, 60_000);

it('counts once for two overviews at the same time', async () => {
  await add(visitsBetween(start, start + 10 * day, 8_000));
  const [query] = windows as [(typeof windows)[0]];
  const read = () => cached.readOverview(organizationId, { ...query, limit: 5 }, query.until);
  const [one, other] = await Promise.all([read(), read()]);
  expect(one).toEqual(other);
  const together = chunkReads;
  chunkReads = 0;
  await read();
  // Of four chunks, the last one is not in the cache.
  expect([together, chunkReads]).toEqual([3 + 2, 1]);
  // A failure of one does not concern the other.
  const failing = new ReportReader(
    stored.database,
    new Int32Pool(64 * 1024),
    new OverviewCache(new Int32Pool(), { minVisits: 1, minRest: 5_000 }),
  );
  const readFailing = () =>
    failing.readOverview(organizationId, { ...query, limit: 5 }, query.until);
  for (const each of await Promise.allSettled([readFailing(), readFailing()])) {
    expect(each).toMatchObject({ reason: expect.any(ReportTooLargeError) });
  }
}, 60_000);

it('shares the memory of the keys of visitors with reports, and has a limit of its own', async () => {
  await add(visitsBetween(start, start + 10 * day, 8_000));
  await check([0]);
  const { bytes } = cache;
  expect(pool.usedBytes).toBeGreaterThan(0);
  expect(pool.usedBytes).toBeLessThan(bytes);
  // Evicts the entry of one window for that of another.
  const small = new Int32Pool();
  const limited = new OverviewCache(small, { minVisits: 1, minRest: 5_000, maxBytes: bytes / 2 });
  cached = new ReportReader(stored.database, small, limited);
  await check([0]);
  expect(limited.bytes).toBeLessThanOrEqual(bytes / 2);
  expect(limited.bytes).toBeGreaterThan(0);
  // A report that needs all memory evicts all of it.
  const used = small.usedBytes;
  expect(used).toBeGreaterThan(0);
  const tight = new Int32Pool(4 * 1024 * 1024);
  const evicted = new OverviewCache(tight, { minVisits: 1, minRest: 5_000 });
  const reader = new ReportReader(stored.database, tight, evicted);
  const [query] = windows as [(typeof windows)[0]];
  const reports = [0, 1].map(() =>
    reader.readOverview(organizationId, { ...query, limit: 5 }, query.until),
  );
  const [one, other] = await Promise.all(reports);
  expect(one).toEqual(other);
  expect(evicted.bytes).toBeGreaterThan(0);
  tight.release(tight.take(1024 * 1024));
  expect([evicted.bytes, tight.usedBytes]).toEqual([0, 0]);
}, 60_000);

it('counts all visits when they, or those that are not in the cache, have too many values', async () => {
  const patient = new OverviewCache(pool, { minVisits: 1, minRest: 100_000 });
  const reader = new ReportReader(stored.database, pool, patient);
  const query = { since: start, until: start + 2 * day, groupBy: 'day', limit: 5 } as const;
  const read = (of: ReportReader) => of.readOverview(organizationId, query, query.until);
  await add(visitsBetween(start, start + hour, 5_000));
  await read(reader);
  expect(patient.bytes).toBeGreaterThan(0);
  const sources = Array.from({ length: 55_000 }, (_, index) =>
    makeVisit({
      urlId: urlIds[0] as number,
      visitedAt: start + day + index * 1_000,
      facts: { visitorKey: keyOf(index), campaign: { utmSource: `source-${index}` } },
    }),
  );
  await add(sources);
  const expected = await read(new ReportReader(stored.database));
  expect(expected.totals.totalClicks).toBeGreaterThan(59_000);
  expect(await read(reader)).toEqual(expected);
  for (let time = 0; time < 2; time += 1) expect(await read(cached)).toEqual(expected);
  expect(cache.bytes).toBe(0);
}, 60_000);
