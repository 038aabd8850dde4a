// The 99th percentile of redirects while reports, bulk creates and QR drawings run without pause,
// against the same without them; and that of a bare server beside threads that compute.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { openStorage } from '../packages/server/dist/storage/open-storage.js';
import { createLinks } from './lib/create-links.mjs';
import { serveNode, setNiceness, startDefaultPostgres } from './lib/postgres.mjs';
import { scratchFolder, serve, serveShorty } from './lib/processes.mjs';
import { compare, median, reportAtMost, reportUpper } from './lib/ratio.mjs';
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
  const niceness = Number(process.env.POSTGRES_NICENESS ?? 10);
  return {
    name: `PostgreSQL with niceness ${niceness}`,
    async create() {
      await postgres.createDatabase('bench');
      const databaseUrl = postgres.urlOf('bench');
      return { ...(await serveNode(databaseUrl)), databaseUrl };
    },
    serve: serveNode,
    lowerPriority: () => setNiceness(postgres, niceness),
  };
}

export async function benchRedirectsBeside({ seconds = 8, runs = 11 } = {}) {
  await compareBeside(onSqlite, { seconds, runs });
  await compareBare({ seconds: seconds / 2, runs });
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
    await engine.lowerPriority?.();
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
    1.5,
    'ms',
  );
  const perSecond = (name) =>
    Math.round(median(results[name].map((each) => each.perSecond))).toLocaleString('en');
  const ratios = results.together.map(({ p99Ms }, run) => p99Ms / results.alone[run].p99Ms);
  reportUpper(
    'the worst of these pairs',
    Math.max(...ratios),
    4,
    `${results.together.map(({ counts }) => counts.join('+')).join(', ')} reports, bulk creates and QR drawings; ${perSecond('together')} against ${perSecond('alone')} redirects a second`,
  );
  await shorty.stop();
}

/**
 * Prints how much two computing threads of low priority raise the 99th percentile of a server without any
 * other work: what the processors alone cost.
 */
async function compareBare({ seconds, runs }) {
  const script = writeScript();
  const p99Beside = async (threads) => {
    const bare = await serve('bench/bare-redirect.mjs', { BUSY_THREADS: String(threads) });
    await load(bare.origin, script, { connections, seconds: 1 });
    const { p99Ms } = await load(bare.origin, script, { connections, seconds });
    await bare.stop();
    return p99Ms;
  };
  const { ratio, low, high, ours, ceiling } = await compare({
    ceiling: () => p99Beside(0),
    ours: () => p99Beside(2),
    runs,
  });
  console.log(
    `        p99 of bare node:http beside two computing threads of low priority ÷ alone: ${ratio.toFixed(2)}× (${low.toFixed(2)} to ${high.toFixed(2)}); ${ours.toFixed(1)} against ${ceiling.toFixed(1)} ms`,
  );
}

/**
 * What stalls redirects: the main thread's work, its waits for a processor, the delays of its event loop
 * and its garbage collection, beside each other client alone and beside all of them.
 */
export async function benchRedirectsTrace({ seconds = 8, runs = 3 } = {}) {
  const stallsFile = join(scratchFolder(), 'stalls.json');
  const { shorty, others } = await openScene(onSqlite, {
    NODE_OPTIONS: `--import ${new URL('lib/stall-probe.mjs', import.meta.url)}`,
    STALLS_FILE: stallsFile,
  });
  const script = writeScript();
  const readStalls = async () => {
    process.kill(shorty.pid, 'SIGUSR2');
    await sleep(200);
    return JSON.parse(readFileSync(stallsFile, 'utf8'));
  };
  const trace = async (clients) => {
    const running = clients.map((each) => repeat(shorty.origin, each.script));
    await readStalls();
    const before = scheduling(shorty.pid);
    const { p99Ms, perSecond } = await load(shorty.origin, script, { connections, seconds });
    const after = scheduling(shorty.pid);
    const stalls = await readStalls();
    await Promise.all(running.map((each) => each.stop()));
    const share = (key) => (after[key] - before[key]) / 1e9 / seconds;
    return { p99Ms, perSecond, working: share('ran'), waiting: share('waited'), ...stalls };
  };
  const scenes = [
    ['alone', []],
    ...others.map((each) => [`beside ${each.name}`, [each]]),
    ['beside all of them', others],
  ];
  for (const [, clients] of scenes) await trace(clients);
  for (const [name, clients] of scenes) {
    const traces = [];
    for (let run = 0; run < runs; run += 1) traces.push(await trace(clients));
    const of = (key, digits = 1) => median(traces.map((each) => each[key])).toFixed(digits);
    console.log(
      `        redirects ${name}: p99 ${of('p99Ms')} ms, ${of('perSecond', 0)} a second; the main thread works ${of('working', 2)} and waits for a processor ${of('waiting', 2)} of the time; its event loop is late by ${of('delayP99Ms')} ms (p99) and ${of('delayMaxMs')} ms (longest); garbage collection pauses it ${of('pauses', 0)} times, ${of('pausedMs', 0)} ms in total, ${of('longestPauseMs')} ms at most`,
    );
  }
  await shorty.stop();
}

/** Returns how long the main thread of a process has run and has waited for a processor, in nanoseconds. */
function scheduling(pid) {
  const [ran, waited] = readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8')
    .split(' ')
    .map(Number);
  return { ran, waited };
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
