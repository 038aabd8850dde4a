// The overview of an organization with ten million visits in its window, and that of one of 50
// organizations with ten million visits together. `VISITS=1000000 npm run bench overview` uses one million.
import { setTimeout as sleep } from 'node:timers/promises';
import Database from 'better-sqlite3';
import pg from 'pg';
import { serveNode, startDefaultPostgres } from './lib/postgres.mjs';
import { serveShorty } from './lib/processes.mjs';
import { compare, median, report, reportAtMost, reportUpper } from './lib/ratio.mjs';
import { residentMemory } from './lib/resident-memory.mjs';
import { storeOverviewVisits, waitForStoredCounts } from './lib/store-overview-visits.mjs';

const day = 24 * 60 * 60 * 1000;
const windowDays = 30;
const tenants = 50;
const chunksPerQuery = 32;
const loadedAfterMs = 10_000;

export async function benchOverview(options) {
  await benchOverviews(options, {
    name: 'SQLite',
    async serve() {
      const server = await serveShorty();
      return { ...server, databaseUrl: `file:${server.databasePath}` };
    },
    restart: (databaseUrl) => serveShorty({ SHORTY_DATABASE_URL: databaseUrl }),
    readBytes: readBytesOfSqlite,
  });
}

export async function benchOverviewPostgres(options) {
  const postgres = await startDefaultPostgres();
  let databases = 0;
  await benchOverviews(options, {
    name: 'PostgreSQL',
    async serve() {
      databases += 1;
      await postgres.createDatabase(`bench${databases}`);
      const databaseUrl = postgres.urlOf(`bench${databases}`);
      return { ...(await serveNode(databaseUrl)), databaseUrl };
    },
    restart: (databaseUrl) => serveNode(databaseUrl),
    readBytes: readBytesOfPostgres,
  });
  await postgres.stop();
}

async function benchOverviews(
  { visits = Number(process.env.VISITS ?? 10_000_000), runs = 11 } = {},
  engine,
) {
  // All visits are in the default window, also at the end of this benchmark.
  const until = Date.now() - 60_000;
  const from = until - windowDays * day + day / 2;
  const large = await prepare(engine, { links: 100_000, visits, from, until });
  const firstMs = await elapsed(() => overview(large));
  for (let time = 0; time < 5; time += 1) await overview(large);
  const times = [];
  for (let time = 0; time < runs; time += 1) times.push(await elapsed(() => overview(large)));
  reportUpper(
    `the overview of ${visits.toLocaleString('en')} visits on ${engine.name}, once warm, ms`,
    median(times),
    300,
    `${times.map((ms) => ms.toFixed(0)).join(', ')}; the first ${firstMs.toFixed(0)}`,
  );
  const readBytes = await engine.readBytes(large.databaseUrl);
  const reading = await compare({
    ceiling: async () => 60_000 / (await elapsed(readBytes.read)),
    ours: async () => 60_000 / (await elapsed(() => overview(large))),
    runs,
  });
  await readBytes.close();
  report(`the same on ${engine.name} ÷ reading its bytes`, reading, 1, 'a minute');
  const { now, peak } = residentMemory(large.pid);
  console.log(
    `        memory of that server: ${now.toFixed(0)} MB, ${peak.toFixed(0)} MB while it counted all visits`,
  );
  await benchRestarts(engine, large, visits);
  await benchNextWindows(engine, large.databaseUrl, from, visits);

  const ofTenant = { links: 100_000 / tenants, visits: visits / tenants, from, until };
  const alone = await prepare(engine, ofTenant);
  const beside = await prepare(engine, { ...ofTenant, organizations: tenants });
  for (let time = 0; time < 20; time += 1) {
    await overview(alone);
    await overview(beside);
  }
  const times50 = (server) => async () => {
    const all = [];
    for (let time = 0; time < 5; time += 1) all.push(await elapsed(() => overview(server)));
    return median(all);
  };
  const own = await compare({ ceiling: times50(alone), ours: times50(beside), runs });
  reportAtMost(
    `the overview of one of ${tenants} organizations on ${engine.name} ÷ of the same one alone`,
    own,
    1.2,
    'ms',
  );
  await alone.stop();
  await beside.stop();
}

/** Measures the first overview of each of several windows, each a day later than the one before. */
async function benchNextWindows(engine, databaseUrl, from, visits) {
  const server = await engine.restart(databaseUrl);
  const days = 5;
  const times = [];
  for (let later = 0; later < days; later += 1) {
    const since = from + later * day;
    const window = { since, until: since + (windowDays - 1 - days) * day };
    times.push(await elapsed(() => overview(server, window)));
  }
  const next = times.slice(1);
  reportUpper(
    `the first overview of a window a day later, ${visits.toLocaleString('en')} visits on ${engine.name}, ms`,
    median(next),
    300,
    next.map((ms) => ms.toFixed(0)).join(', '),
  );
  await server.stop();
}

/**
 * Measures the first overview after a restart: at once, and after the server has loaded the stored counts.
 * Stops the server.
 */
async function benchRestarts(engine, server, visits) {
  await waitForStoredCounts(server.databaseUrl);
  await server.stop();
  const firstAfter = async (waitMs) => {
    const times = [];
    for (let time = 0; time < 3; time += 1) {
      const restarted = await engine.restart(server.databaseUrl);
      await sleep(waitMs);
      times.push(await elapsed(() => overview(restarted)));
      await restarted.stop();
    }
    return times;
  };
  const later = await firstAfter(loadedAfterMs);
  const atOnce = await firstAfter(0);
  const list = (times) => times.map((ms) => ms.toFixed(0)).join(', ');
  reportUpper(
    `the first overview 10 s after a restart, ${visits.toLocaleString('en')} visits on ${engine.name}, ms`,
    median(later),
    300,
    `${list(later)}; without a wait ${list(atOnce)}`,
  );
}

/** Starts a server whose organization has these links and visits. */
async function prepare(engine, visits) {
  const first = await engine.serve();
  await first.stop();
  await storeOverviewVisits(first.databaseUrl, visits);
  return { ...(await engine.restart(first.databaseUrl)), databaseUrl: first.databaseUrl };
}

async function overview({ origin, token }, window = {}) {
  const parameters = Object.entries(window).map(([name, at]) => [name, new Date(at).toISOString()]);
  const search = new URLSearchParams(parameters);
  const response = await fetch(`${origin}/api/v1/analytics/overview?${search}`, {
    headers: { authorization: `Bearer ${token}` },
  });
  const { data } = await response.json();
  if (!response.ok) throw new Error(`the overview: got status ${response.status}, not 200`);
  return data;
}

async function elapsed(work) {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

const selectVisits = 'select visits from organization_chunks where number >= $1 and number < $2';

async function readBytesOfSqlite(databaseUrl) {
  const database = new Database(databaseUrl.replace('file:', ''), { readonly: true });
  const statement = database.prepare(selectVisits.replaceAll(/\$\d/g, '?'));
  return {
    read: () => readAll((from, to) => statement.all(from, to)),
    close: () => database.close(),
  };
}

async function readBytesOfPostgres(databaseUrl) {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  return {
    read: () =>
      readAll(async (from, to) => {
        const { rows } = await client.query({
          name: 'read',
          text: selectVisits,
          values: [from, to],
        });
        return rows;
      }),
    close: () => client.end(),
  };
}

/** Reads all chunks, as many in a query as an overview does. */
async function readAll(query) {
  let bytes = 0;
  for (let number = 0; ; number += chunksPerQuery) {
    const rows = await query(number, number + chunksPerQuery);
    if (rows.length === 0) return bytes;
    for (const { visits } of rows) bytes += visits.length;
  }
}
