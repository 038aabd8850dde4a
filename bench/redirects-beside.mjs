// The 99th percentile of redirects while reports, bulk creates and QR drawings run without pause,
// against the same without them.
import { openStorage } from '../packages/server/dist/storage/open-storage.js';
import { createLinks } from './lib/create-links.mjs';
import { serveNode, startDefaultPostgres } from './lib/postgres.mjs';
import { serveShorty } from './lib/processes.mjs';
import { compare, median, reportAtMost } from './lib/ratio.mjs';
import { storeVisitsIn } from './lib/store-visits.mjs';
import { makeVisits } from './lib/visit-maker.mjs';
import { load, pathsScript, repeat, repeatScript, requireWrk } from './lib/wrk.mjs';

const connections = 64;
const visits = 1_000_000;
const links = 10_000;
const slugOf = (index) => `bench-${String(index).padStart(6, '0')}`;
const writeScript = () =>
  pathsScript(Array.from({ length: links }, (_, index) => `/${slugOf(index)}`));
const day = 24 * 60 * 60 * 1000;

const onSqlite = {
  name: 'SQLite',
  async create() {
    const server = await serveShorty();
    return { ...server, databaseUrl: `file:${server.databasePath}` };
  },
  serve: (databaseUrl, environment) =>
    serveShorty({ SHORTY_DATABASE_URL: databaseUrl, ...environment }),
};

function onPostgres(postgres) {
  return {
    name: 'PostgreSQL',
    async create() {
      await postgres.createDatabase('bench');
      const databaseUrl = postgres.urlOf('bench');
      return { ...(await serveNode(databaseUrl)), databaseUrl };
    },
    serve: serveNode,
  };
}

export async function benchRedirectsBeside({ seconds = 8, runs = 11 } = {}) {
  await compareBeside(onSqlite, { seconds, runs });
}

export async function benchRedirectsBesidePostgres({ seconds = 8, runs = 11 } = {}) {
  const postgres = await startDefaultPostgres();
  await compareBeside(onPostgres(postgres), { seconds, runs });
  await postgres.stop();
}

/** Compares redirects beside other work with redirects alone. */
async function compareBeside(engine, { seconds, runs }) {
  const { shorty, others } = await openScene(engine);
  const script = writeScript();
  const alone = () => load(shorty.origin, script, { connections, seconds });
  const together = async () => {
    const clients = others.map((each) => repeat(shorty.origin, each.script));
    const result = await alone();
    return { ...result, counts: await Promise.all(clients.map((each) => each.stop())) };
  };

  // Warms up both: code is compiled, and the first report starts a thread.
  await alone();
  await together();
  const results = { alone: [], together: [] };
  const p99Of = (name, measure) => async () => {
    const result = await measure();
    results[name].push(result);
    return result.p99Ms;
  };
  const compared = await compare({
    ceiling: p99Of('alone', alone),
    ours: p99Of('together', together),
    runs,
  });
  reportAtMost(
    `p99 of redirects beside reports, bulk creates and QR drawings ÷ alone, ${engine.name}`,
    compared,
    3,
    'ms',
  );
  const perSecond = (name) =>
    Math.round(median(results[name].map((each) => each.perSecond))).toLocaleString('en');
  console.log(
    `        ${results.together.map(({ counts }) => counts.join('+')).join(', ')} reports, bulk creates and QR drawings; ${perSecond('together')} against ${perSecond('alone')} redirects a second`,
  );
  await shorty.stop();
}

/** Starts a server with links, visits and a code, and returns the scripts of its clients. */
async function openScene(engine, environment = {}) {
  requireWrk();
  const first = await engine.create();
  await createLinks(first, links, slugOf);
  await first.stop();
  const until = Date.now();
  const database = openStorage({ databaseUrl: first.databaseUrl, durability: 'process' });
  await storeVisitsIn(
    database,
    makeVisits({ count: visits, links: 10, from: until - 30 * day, until }),
  );
  await database.close();
  const shorty = await engine.serve(first.databaseUrl, environment);
  return { shorty, others: await otherClients(shorty) };
}

/** Returns three clients that repeat without pause. */
async function otherClients({ origin, token }) {
  const api = `${origin}/api/v1`;
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const body = JSON.stringify({ data: 'https://example.com/standalone' });
  const created = await fetch(`${api}/qr`, { method: 'POST', headers, body });
  if (!created.ok) throw new Error(`POST ${api}/qr: got status ${created.status}, not 201`);
  const { data: code } = await created.json();
  const links = Array(100).fill({ targetUrl: 'https://example.com/bulk' });
  // Each colour gives another image, which is drawn, decoded and stored.
  const colours = ['#000000', '#101010', '#202020', '#303030'];
  const requests = {
    reports: [{ method: 'GET', path: '/api/v1/urls/1/clicks' }],
    'bulk creates': [
      { method: 'POST', path: '/api/v1/urls/bulk', body: JSON.stringify({ urls: links }) },
    ],
    'QR drawings': colours.map((foregroundColor) => ({
      method: 'PATCH',
      path: `/api/v1/qr/${code.id}`,
      body: JSON.stringify({ foregroundColor }),
    })),
  };
  return Object.entries(requests).map(([name, each]) => ({
    name,
    script: repeatScript(each, headers),
  }));
}
