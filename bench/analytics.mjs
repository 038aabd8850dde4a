// The processor time of storing visits and of reports on them. `VISITS=1000000 npm run bench analytics`
// stores a million instead of ten.
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { toRow } from '../packages/server/dist/analytics/ingest/columns-codec.js';
import { mergeVisits } from '../packages/server/dist/analytics/ingest/merge-visits.js';
import { toColumns } from '../packages/server/dist/analytics/ingest/visit-columns.js';
import { openReports } from '../packages/server/dist/analytics/reports/report-thread.js';
import { openStorage } from '../packages/server/dist/storage/open-storage.js';
import { bulkInsert } from '../packages/server/dist/storage/statements.js';
import { bulkCreate } from './lib/links.mjs';
import { scratchFolder, serveShorty } from './lib/processes.mjs';
import { median, reportUpper } from './lib/ratio.mjs';
import { storeVisits } from './lib/store-visits.mjs';
import { makeVisits } from './lib/visit-maker.mjs';

const links = 100_000;
const perTransfer = 8_192;
const warmUpMs = 3_000;
const day = 24 * 60 * 60 * 1000;
const until = Math.floor(Date.now() / day) * day;
const make = (count) => makeVisits({ count, links, from: until - 90 * day, until });

export async function benchAnalytics({ visits = Number(process.env.VISITS ?? 10_000_000) } = {}) {
  for (const [organizations, bound] of [
    [64, 6],
    [1_000, 25],
  ]) {
    const microseconds = await storeWithoutCounters(visits / 20, organizations);
    const what = `storing and merging a visit of ${organizations} organizations, µs`;
    reportUpper(what, microseconds, bound, 'without counters');
  }
  await measureReports(visits / 10, async ({ overview }) => {
    await overview('the overview of 30 of 90 days with a million visits, ms', 30, 80);
  });
  await measureReports(visits, async ({ overview, link, page, bytes }) => {
    reportUpper('a stored visit, bytes', bytes, 50, `of ${visits.toLocaleString('en')}`);
    await overview('the overview of ten million visits, ms', 90, 2_000);
    await link('the report of a link, ms', 30, 20);
    await page('the first page of the visits of a link, ms', 30, 60);
  });
}

/** Returns the processor time of storing and merging a visit, in microseconds. */
async function storeWithoutCounters(count, organizations) {
  const databaseUrl = `file:${join(scratchFolder(), 'visits.db')}`;
  const database = openStorage({ databaseUrl, durability: 'process' });
  await database.migrate();
  let [milliseconds, now] = [0, until];
  const store = async (visits) => {
    now += 200;
    milliseconds += await processorMs(async () => {
      const groups = new Map();
      for (const visit of visits) {
        const id = `organization-${visit.urlId % organizations}`;
        if (groups.has(id)) groups.get(id).push(visit);
        else groups.set(id, [visit]);
      }
      const rows = Array.from(groups, ([organization_id, own]) => ({
        organization_id,
        level: 0,
        stored_at: now,
        ...toRow(toColumns(own)),
      }));
      await database.writeDirectly((db) => bulkInsert(db, 'visits', rows), 'rows');
      await mergeVisits(database, now);
    });
  };
  let transfer = [];
  for (const visit of make(count)) {
    if (transfer.push(visit) < perTransfer) continue;
    await store(transfer);
    transfer = [];
  }
  milliseconds += await processorMs(() => mergeVisits(database, now + day));
  await database.close();
  return (milliseconds * 1000) / count;
}

/** Stores visits of one organization, and measures reports on them, in a thread as in the server. */
async function measureReports(count, measure) {
  const server = await serveShorty();
  await bulkCreate(server, links);
  await server.stop();
  const databaseUrl = `file:${server.databasePath}`;
  const before = statSync(server.databasePath).size;
  await storeVisits(databaseUrl, make(count));
  const storage = { databaseUrl, durability: 'process' };
  const database = openStorage(storage);
  const { id } = await database.read.selectFrom('organizations').select('id').executeTakeFirst();
  const reports = openReports({ isThreaded: true, storage, database, logger: console });
  const hotLink = 1;
  const measured = (read, countOf) => async (what, days, bound) => {
    const window = { since: until - days * day, until };
    const query = { ...window, groupBy: 'day', limit: 10, conditions: [] };
    let counted;
    const measureOnce = () => processorMs(async () => (counted = countOf(await read(query))));
    // The first ones compile the code.
    const warmUntil = performance.now() + warmUpMs;
    while (performance.now() < warmUntil) await measureOnce();
    const times = [];
    while (times.length < 10) times.push(await measureOnce());
    reportUpper(what, median(times), bound, `of ${counted.toLocaleString('en')} visits`);
  };
  await measure({
    bytes: (statSync(server.databasePath).size - before) / count,
    overview: measured(
      (query) => reports.read('readOverview', id, query, until, {}),
      ({ totals }) => totals.totalClicks,
    ),
    link: measured(
      (query) => reports.read('readClicks', id, hotLink, query),
      (text) => JSON.parse(text).totals.totalClicks,
    ),
    page: measured(
      (query) =>
        reports.read('readVisits', id, { ...query, limit: 5_000 }, until, { urlId: [hotLink] }),
      ({ count }) => count,
    ),
  });
  await reports.thread.stop();
  await database.close();
}

/** Returns the processor time that work takes in this process, in milliseconds. */
async function processorMs(work) {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
