// The 99th percentile of redirects while reports, bulk creates and QR drawings run without pause,
// against the same without them.
import { call, createVisitedLinks, perRequest, simpleLink } from './lib/links.mjs';
import { serveNode, startDefaultPostgres } from './lib/postgres.mjs';
import { serveShorty } from './lib/processes.mjs';
import { compare, median, reportAtMost } from './lib/ratio.mjs';
import { storeVisits } from './lib/store-visits.mjs';
import { makeVisits } from './lib/visit-maker.mjs';
import { load, pathsScript, repeat, repeatScript } from './lib/wrk.mjs';

const day = 24 * 60 * 60 * 1000;

export async function benchRedirectsBeside(options) {
  const first = await serveShorty();
  const databaseUrl = `file:${first.databasePath}`;
  const serve = () => serveShorty({ SHORTY_DATABASE_URL: databaseUrl });
  await compareBeside('SQLite', { first, databaseUrl, serve }, options);
}

export async function benchRedirectsBesidePostgres(options) {
  const postgres = await startDefaultPostgres();
  await postgres.createDatabase('bench');
  const databaseUrl = postgres.urlOf('bench');
  const serve = () => serveNode(databaseUrl);
  await compareBeside('PostgreSQL', { first: await serve(), databaseUrl, serve }, options);
  await postgres.stop();
}

/**
 * Compares redirects beside other work with redirects alone. The first server creates the links; another
 * one serves them with their visits.
 */
async function compareBeside(engine, { first, databaseUrl, serve }, options = {}) {
  const { visits = 1_000_000, seconds = 8, runs = 11 } = options;
  const script = pathsScript(await createVisitedLinks(first, 10_000));
  await first.stop();
  const until = Date.now();
  const from = until - 30 * day;
  await storeVisits(databaseUrl, makeVisits({ count: visits, links: 10, from, until }));
  const shorty = await serve();
  const others = await otherClients(shorty);

  const results = { alone: [], together: [] };
  const alone = async () => {
    const result = await load(shorty.origin, script, { connections: 64, seconds });
    results.alone.push(result);
    return result.p99Ms;
  };
  const together = async () => {
    const clients = others.map((other) => repeat(shorty.origin, other));
    const result = await load(shorty.origin, script, { connections: 64, seconds });
    const counts = await Promise.all(clients.map((client) => client.stop()));
    results.together.push({ ...result, counts });
    return result.p99Ms;
  };
  // Warms up both: code is compiled, and the first report starts a thread.
  await alone();
  await together();
  const compared = await compare({ ceiling: alone, ours: together, runs });
  const name = `p99 of redirects beside reports, bulk creates and QR drawings ÷ alone, ${engine}`;
  reportAtMost(name, compared, 3, 'ms');
  const rateOf = (all) =>
    Math.round(median(all.map(({ perSecond }) => perSecond))).toLocaleString('en');
  console.log(
    `        ${results.together.map(({ counts }) => counts.join('+')).join(', ')} reports, bulk creates and QR drawings; ${rateOf(results.together)} against ${rateOf(results.alone)} redirects a second`,
  );
  await shorty.stop();
}

/** Returns the scripts of three clients that repeat without pause. */
async function otherClients(shorty) {
  const code = await call(shorty, 'POST', '/qr', { data: 'https://example.com/standalone' });
  const urls = Array(perRequest).fill(simpleLink(0));
  // Each colour gives another image, which is drawn, decoded and stored.
  const colours = ['#000000', '#101010', '#202020', '#303030'];
  const headers = {
    authorization: `Bearer ${shorty.token}`,
    'content-type': 'application/json',
  };
  return [
    [{ method: 'GET', path: '/api/v1/urls/1/clicks' }],
    [{ method: 'POST', path: '/api/v1/urls/bulk', body: JSON.stringify({ urls }) }],
    colours.map((foregroundColor) => ({
      method: 'PATCH',
      path: `/api/v1/qr/${code.id}`,
      body: JSON.stringify({ foregroundColor }),
    })),
  ].map((requests) => repeatScript(requests, headers));
}
