// The 99th percentile of redirects while reports, bulk creates and QR drawings run without pause,
// against the same without them.
import { createLinks } from './lib/create-links.mjs';
import { serveShorty } from './lib/processes.mjs';
import { median, reportUpper } from './lib/ratio.mjs';
import { storeVisits } from './lib/store-visits.mjs';
import { makeVisits } from './lib/visit-maker.mjs';
import { load, pathsScript, repeat, repeatScript, requireWrk } from './lib/wrk.mjs';

const links = 10_000;
const day = 24 * 60 * 60 * 1000;

export async function benchRedirectsBeside({
  visits = 1_000_000,
  connections = 64,
  seconds = 8,
  runs = 7,
} = {}) {
  requireWrk();
  const slugOf = (index) => `bench-${String(index).padStart(6, '0')}`;
  const first = await serveShorty();
  await createLinks(first, links, slugOf);
  await first.stop();
  const until = Date.now();
  await storeVisits(
    first.databasePath,
    makeVisits({ count: visits, links: 10, from: until - 30 * day, until }),
  );
  const shorty = await serveShorty({ SHORTY_DATABASE_URL: `file:${first.databasePath}` });
  const script = pathsScript(Array.from({ length: links }, (_, index) => `/${slugOf(index)}`));
  const otherScripts = await otherClientScripts(shorty);
  const alone = () => load(shorty.origin, script, { connections, seconds });
  const together = async () => {
    const others = otherScripts.map((each) => repeat(shorty.origin, each));
    const result = await alone();
    return { ...result, counts: await Promise.all(others.map((each) => each.stop())) };
  };

  // Warms up both: code is compiled, and the first report starts a thread.
  await alone();
  await together();
  const pairs = [];
  for (let run = 0; run < runs; run += 1) {
    pairs.push({ alone: await alone(), together: await together() });
  }
  reportUpper(
    'p99 of redirects beside reports, bulk creates and QR drawings ÷ alone',
    median(pairs.map(({ alone, together }) => together.p99Ms / alone.p99Ms)),
    1.5,
    `${median(pairs.map(({ together }) => together.p99Ms)).toFixed(1)} ms against ${median(pairs.map(({ alone }) => alone.p99Ms)).toFixed(1)} ms; each ${pairs.map(({ alone, together }) => (together.p99Ms / alone.p99Ms).toFixed(1)).join(', ')}; ${pairs.map((pair) => pair.together.counts.join('+')).join(', ')} reports, bulk creates and QR drawings; ${Math.round(median(pairs.map(({ together }) => together.perSecond))).toLocaleString('en')} against ${Math.round(median(pairs.map(({ alone }) => alone.perSecond))).toLocaleString('en')} redirects a second`,
  );
  await shorty.stop();
}

/** Returns scripts of three clients that repeat without pause: reports, bulk creates, drawings. */
async function otherClientScripts({ origin, token }) {
  const api = `${origin}/api/v1`;
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const body = JSON.stringify({ data: 'https://example.com/standalone' });
  const created = await fetch(`${api}/qr`, { method: 'POST', headers, body });
  if (!created.ok) throw new Error(`POST ${api}/qr: got status ${created.status}, not 201`);
  const { data: code } = await created.json();
  const links = Array(100).fill({ targetUrl: 'https://example.com/bulk' });
  // Each colour gives another image, which is drawn, decoded and stored.
  const colours = ['#000000', '#101010', '#202020', '#303030'];
  return [
    [{ method: 'GET', path: '/api/v1/urls/1/clicks' }],
    [{ method: 'POST', path: '/api/v1/urls/bulk', body: JSON.stringify({ urls: links }) }],
    colours.map((foregroundColor) => ({
      method: 'PATCH',
      path: `/api/v1/qr/${code.id}`,
      body: JSON.stringify({ foregroundColor }),
    })),
  ].map((requests) => repeatScript(requests, headers));
}
