// Redirects while a hot link's report, bulk creates and pictures are made without pause: how much
// longer the slowest hundredth waits than without them.
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { createLinks } from './lib/create-links.mjs';
import { serveShorty } from './lib/processes.mjs';
import { median, reportUpper } from './lib/ratio.mjs';
import { storeVisits } from './lib/store-visits.mjs';
import { makeVisits } from './lib/visit-maker.mjs';
import { load, pathsScript, requireWrk } from './lib/wrk.mjs';

const links = 10_000;
const day = 24 * 60 * 60 * 1000;

export async function benchRedirectsBeside({
  visits = 1_000_000,
  connections = 64,
  seconds = 3,
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
  await load(shorty.origin, script, { connections, seconds: 4 });

  const pairs = [];
  for (let run = 0; run < runs; run += 1) {
    const alone = await load(shorty.origin, script, { connections, seconds });
    const others = beside(shorty);
    const together = await load(shorty.origin, script, { connections, seconds });
    const counts = await others.stop();
    pairs.push({ alone, together, counts });
  }
  reportUpper(
    'p99 of redirects beside reports, bulk creates and pictures ÷ alone',
    median(pairs.map(({ alone, together }) => together.p99Ms / alone.p99Ms)),
    1.5,
    `${median(pairs.map(({ together }) => together.p99Ms)).toFixed(1)} ms against ${median(pairs.map(({ alone }) => alone.p99Ms)).toFixed(1)} ms; ${pairs.map(({ counts }) => `${counts.reports}+${counts.bulks}`).join(', ')} reports and bulk creates; ${Math.round(median(pairs.map(({ together }) => together.perSecond))).toLocaleString('en')} against ${Math.round(median(pairs.map(({ alone }) => alone.perSecond))).toLocaleString('en')} redirects a second`,
  );
  await shorty.stop();
}

// Clients would be on machines of their own, and a QR code is drawn in a thread that gives way: so
// both give way here.
const giveWay = `require('node:os').setPriority(19);
require('node:child_process').spawnSync('chrt', ['--idle', '--pid', '0',
  require('node:fs').readlinkSync('/proc/thread-self').split('/').at(-1)]);`;
const clients = `${giveWay}
const { parentPort, workerData: { origin, token } } = require('node:worker_threads');
let isOver = false;
const counts = { reports: 0, bulks: 0 };
const headers = { authorization: 'Bearer ' + token, 'content-type': 'application/json' };
async function call(path, init) {
  const response = await fetch(origin + '/api/v1' + path, { headers, ...init });
  await response.arrayBuffer();
  if (!response.ok) throw new Error(path + ' answered ' + response.status);
}
const body = JSON.stringify({ urls: Array(100).fill({ targetUrl: 'https://example.com/bulk' }) });
async function report() {
  for (; !isOver; counts.reports += 1) await call('/urls/1/clicks');
}
async function bulk() {
  for (; !isOver; counts.bulks += 1) await call('/urls/bulk', { method: 'POST', body });
}
const done = Promise.all([report(), bulk()]);
parentPort.once('message', async () => {
  isOver = true;
  await done;
  parentPort.postMessage(counts);
});`;
const pictures = `${giveWay}
const raster = Buffer.alloc(512 * 65, 0b10110010);
for (;;) require('node:zlib').deflateSync(raster);`;

function beside({ origin, token }) {
  const callers = new Worker(clients, { eval: true, workerData: { origin, token } });
  const painter = new Worker(pictures, { eval: true });
  const failed = once(callers, 'error').then(([error]) => Promise.reject(error));
  failed.catch(() => {});
  return {
    async stop() {
      await painter.terminate();
      callers.postMessage('stop');
      const [counts] = await Promise.race([once(callers, 'message'), failed]);
      return counts;
    },
  };
}
