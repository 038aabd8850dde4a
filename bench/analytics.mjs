// Reports over ten million visits, against plain SQL over a table of the same visits with an index
// by link and time. `VISITS=1000000 npm run bench analytics` uses one million.
import { statSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { createLinks } from './lib/create-links.mjs';
import { scratchFolder, serveShorty } from './lib/processes.mjs';
import { compare, median, report, reportUpper } from './lib/ratio.mjs';
import { storeVisits } from './lib/store-visits.mjs';
import { makeVisits } from './lib/visit-maker.mjs';

const links = 100_000;
const day = 24 * 60 * 60 * 1000;
const runs = 7;

export async function benchAnalytics({ visits = Number(process.env.VISITS ?? 10_000_000) } = {}) {
  const until = Math.floor(Date.now() / day) * day;
  const make = (count) => makeVisits({ count, links, from: until - 90 * day, until });
  const since = new Date(until - 30 * day).toISOString();
  const query = `since=${since}&until=${new Date(until).toISOString()}`;

  const small = await prepare(make(visits / 10));
  const medianBefore = await measure(small.server, links / 2, query);
  await small.server.stop();
  // Built before the server starts, which would close its idle connections meanwhile.
  const sql = plainTable(make(visits));
  console.log(`        the plain table: ${(sql.bytes / visits).toFixed(1)} bytes each`);
  const large = await prepare(make(visits));
  console.log(
    `        ${visits.toLocaleString('en')} visits: ${(large.bytes / visits).toFixed(1)} bytes and ${large.microseconds.toFixed(1)} µs a visit, stored and merged`,
  );

  // Warms up both: code is compiled, and pages are in memory.
  for (let time = 0; time < 20; time += 1) await reportMs(large.server, 1, query);
  sql.query(1, until - 30 * day, until);
  const hotLink = await compare({
    ceiling: async () => 60_000 / timed(() => sql.query(1, until - 30 * day, until)),
    ours: async () => 60_000 / (await reportMs(large.server, 1, query)),
    runs,
  });
  report('the hot link, 30 days, exact uniques', hotLink, 40, 'queries a minute');
  await checkEqual(
    await get(large.server, `/urls/1/clicks?${query}`),
    sql.query(1, until - 30 * day, until),
  );

  const medianAfter = await measure(large.server, links / 2, query);
  reportUpper(
    'a median link over HTTP, ms beyond an empty request',
    medianAfter.ms - medianAfter.emptyMs,
    2,
    `${medianAfter.ms.toFixed(2)} ms against ${medianAfter.emptyMs.toFixed(2)} ms`,
  );
  reportUpper(
    'a median link with ten times the visits',
    medianAfter.ms / medianBefore.ms,
    1.5,
    `${medianAfter.ms.toFixed(2)} ms against ${medianBefore.ms.toFixed(2)} ms`,
  );
  const hundredth = await measure(large.server, 100, query);
  const allTime = `since=${new Date(until - 90 * day).toISOString()}&until=${new Date(until).toISOString()}`;
  const whole = await measure(large.server, 1, allTime, 5);
  const overviewMs = median([
    await overviewMsOf(large.server, query),
    await overviewMsOf(large.server, query),
  ]);
  console.log(
    `        the 100th link ${hundredth.ms.toFixed(1)} ms; the hot link over 90 days ${whole.ms.toFixed(0)} ms; the overview of all links ${overviewMs.toFixed(0)} ms`,
  );
  sql.close();
  await large.server.stop();
}

/** Starts a server with 100,000 links and these visits. */
async function prepare(visits) {
  const first = await serveShorty();
  await createLinks(first, links);
  await first.stop();
  const stored = await storeVisits(first.databasePath, visits);
  return {
    ...stored,
    server: await serveShorty({ SHORTY_DATABASE_URL: `file:${first.databasePath}` }),
  };
}

/** Returns the median times of a link's report and of an empty request, in milliseconds. */
async function measure(server, urlId, query, times = 50) {
  const reports = [];
  const empty = [];
  for (let time = 0; time < times; time += 1) {
    // Each time another link of about the same rank, so that no report comes from a warm cache.
    reports.push(await reportMs(server, urlId + time, query));
    empty.push(await elapsed(() => fetch(`${server.origin}/health/live`)));
  }
  return { ms: median(reports), emptyMs: median(empty) };
}

function reportMs(server, urlId, query) {
  return elapsed(() => get(server, `/urls/${urlId}/clicks?${query}`));
}

function overviewMsOf(server, query) {
  return elapsed(() => get(server, `/analytics/overview?${query}`));
}

async function elapsed(work) {
  const startedAt = performance.now();
  const response = await work();
  await response.arrayBuffer();
  if (!response.ok) throw new Error(`${response.url}: got status ${response.status}, not 200`);
  return performance.now() - startedAt;
}

function get(server, path) {
  return fetch(`${server.origin}/api/v1${path}`, {
    headers: { authorization: `Bearer ${server.token}` },
  });
}

function timed(work) {
  const startedAt = performance.now();
  work();
  return performance.now() - startedAt;
}

/** Stores visits as plain rows with an index by link and time. Each part of a report is one query. */
function plainTable(visits) {
  const path = join(scratchFolder(), 'plain.db');
  const db = new Database(path);
  db.pragma('journal_mode = WAL');
  db.pragma('synchronous = OFF');
  db.pragma('cache_size = -65536');
  db.exec(`create table visits (url_id integer, visited_at integer, kind text, country text,
    device_type text, browser text, os text, referrer_domain text, referrer_type text,
    visitor_key text, address_key text)`);
  const insert = db.prepare('insert into visits values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)');
  db.exec('begin');
  for (const { urlId, visitedAt, facts: f } of visits) {
    insert.run([
      urlId,
      visitedAt,
      f.kind,
      f.country,
      f.deviceType,
      f.browser,
      f.os,
      f.referrerDomain,
      f.referrerType,
      f.visitorKey,
      f.addressKey,
    ]);
  }
  db.exec('commit');
  db.exec('create index visits_by_url on visits (url_id, visited_at)');
  db.pragma('wal_checkpoint(TRUNCATE)');
  const where = "where url_id = ? and visited_at >= ? and visited_at < ? and kind = 'human'";
  const totals = db.prepare(
    `select count(*) as totalClicks, count(distinct visitor_key) as uniqueClicks, count(distinct address_key) as uniqueIps from visits ${where}`,
  );
  const tops = ['country', 'device_type', 'browser', 'os', 'referrer_domain, referrer_type'].map(
    (columns) =>
      db.prepare(
        `select ${columns}, count(*) as clicks from visits ${where} group by ${columns} order by clicks desc limit 10`,
      ),
  );
  const series = db.prepare(
    `select visited_at / ${day} as bucket, count(*) as clicks, count(distinct visitor_key) as uniques from visits ${where} group by bucket order by bucket`,
  );
  return {
    bytes: statSync(path).size,
    query(...window) {
      return {
        totals: totals.get(...window),
        tops: tops.map((statement) => statement.all(...window)),
        series: series.all(...window),
      };
    },
    close: () => db.close(),
  };
}

/** Throws if the report and the SQL results differ, because their times are then not comparable. */
async function checkEqual(response, expected) {
  const { data } = await response.json();
  const same = JSON.stringify(data.totals) === JSON.stringify(expected.totals);
  const series = data.timeseries.every(
    ({ clicks, uniques }, index) =>
      clicks === expected.series[index]?.clicks && uniques === expected.series[index]?.uniques,
  );
  if (!same || !series) {
    throw new Error(
      `the report and the SQL result differ: ${JSON.stringify(data.totals)} and ${JSON.stringify(expected.totals)}`,
    );
  }
}
