// One million links with two million visits: redirects beside searches, the end of the list, and
// reports over all links and over one with most visits.
import { createLinks } from './lib/create-links.mjs';
import { serveShorty } from './lib/processes.mjs';
import { median, reportUpper } from './lib/ratio.mjs';
import { storeVisits } from './lib/store-visits.mjs';
import { makeVisits } from './lib/visit-maker.mjs';
import { load, pathsScript, repeat, repeatScript, requireWrk } from './lib/wrk.mjs';

const day = 24 * 60 * 60 * 1000;
const visitedLinks = 1_000;
const searches = ['no-such-link', 'landing/999', 'example', 'ref=bench landing 12345'];

export async function benchManyLinks({
  links = Number(process.env.LINKS ?? 1_000_000),
  visits = 2_000_000,
  connections = 64,
  seconds = 4,
  runs = 11,
} = {}) {
  requireWrk();
  const slugOf = (index) => (index < visitedLinks ? `bench-${index}` : undefined);
  const first = await serveShorty();
  await createLinks(first, links, slugOf);
  await first.stop();
  const until = Math.floor(Date.now() / day) * day;
  // Visits of many links, and before them as many of one link.
  const before = until - 30 * day;
  await storeVisits(first.databasePath, makeVisits({ count: visits, links, from: before, until }));
  await storeVisits(
    first.databasePath,
    makeVisits({ count: visits, links: 1, from: before - 120 * day, until: before }),
    'bench of one link',
  );
  const shorty = await serveShorty({ SHORTY_DATABASE_URL: `file:${first.databasePath}` });
  await besideSearches(shorty, slugOf, { connections, seconds, runs });
  await endOfTheList(shorty, runs);
  const window = (from, to) =>
    `since=${new Date(from).toISOString()}&until=${new Date(to).toISOString()}`;
  const overview = `analytics/overview?${window(before, until)}`;
  await reportMs(shorty, 'the overview of 30 days, ms', overview, 300);
  const report = `urls/1/clicks?${window(before - 120 * day, before)}`;
  await reportMs(shorty, 'a report of one link with as many visits, 120 days, ms', report, 1_000);
  await shorty.stop();
}

async function besideSearches(shorty, slugOf, { connections, seconds, runs }) {
  const paths = Array.from({ length: visitedLinks }, (_, index) => `/${slugOf(index)}`);
  const script = pathsScript(paths);
  const searching = repeatScript(
    searches.map((text) => ({
      method: 'GET',
      path: `/api/v1/urls?search=${encodeURIComponent(text)}`,
    })),
    { authorization: `Bearer ${shorty.token}` },
  );
  const alone = () => load(shorty.origin, script, { connections, seconds });
  const beside = async () => {
    const other = repeat(shorty.origin, searching);
    const result = await alone();
    return { ...result, searches: await other.stop() };
  };
  await alone();
  await beside();
  const pairs = [];
  for (let run = 0; run < runs; run += 1) {
    pairs.push({ alone: await alone(), beside: await beside() });
  }
  const ratios = pairs.map(({ alone, beside }) => beside.p99Ms / alone.p99Ms);
  reportUpper(
    'p99 of redirects beside searches of all links ÷ alone',
    median(ratios),
    1.5,
    `${ratios.map((ratio) => ratio.toFixed(2)).join(', ')}; ${median(pairs.map(({ beside }) => beside.p99Ms)).toFixed(1)} against ${median(pairs.map(({ alone }) => alone.p99Ms)).toFixed(1)} ms; ${median(pairs.map(({ beside }) => beside.searches))} searches in ${seconds} s`,
  );
}

async function endOfTheList(shorty, runs) {
  const read = async (after) => {
    const query = after ? `limit=100&after=${encodeURIComponent(after)}` : 'limit=100';
    return (await get(shorty, `urls?${query}`)).data;
  };
  let last;
  for (let after = (await read()).nextAfter; after; after = (await read(after)).nextAfter) {
    last = after;
  }
  const pairs = [];
  for (let run = 0; run < 5 * runs; run += 1) {
    pairs.push({ first: await elapsed(() => read()), last: await elapsed(() => read(last)) });
  }
  reportUpper(
    'the last page of the list by its cursor ÷ the first',
    median(pairs.map(({ first, last }) => last / first)),
    1.5,
    `${median(pairs.map(({ last }) => last)).toFixed(1)} against ${median(pairs.map(({ first }) => first)).toFixed(1)} ms`,
  );
}

async function reportMs(shorty, name, path, bound) {
  const times = [];
  // Warms up: code is compiled, and pages are in memory.
  for (let run = 0; run < 3; run += 1) await get(shorty, path);
  for (let run = 0; run < 5; run += 1) times.push(await elapsed(() => get(shorty, path)));
  const list = times.map((ms) => ms.toFixed(0)).join(', ');
  reportUpper(name, median(times), bound, list);
}

async function get(shorty, path) {
  const response = await fetch(`${shorty.origin}/api/v1/${path}`, {
    headers: { authorization: `Bearer ${shorty.token}` },
  });
  if (!response.ok) throw new Error(`${path}: got status ${response.status}, not 200`);
  return response.json();
}

async function elapsed(work) {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}
