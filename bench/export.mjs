// `shorty urls export` as CSV and as NDJSON, against a loop that reads each link by its own request.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Shorty } from '../packages/sdk/dist/index.js';
import { bulkCreator } from './lib/bulk-rows.mjs';
import { credentials, root, scratchFolder, serveShorty } from './lib/processes.mjs';
import { compare, report } from './lib/ratio.mjs';

const inFlight = 8;

export async function benchExport({ links = 20_000, runs = 11, bound = 8 } = {}) {
  const server = await serveShorty();
  const bulk = bulkCreator(server);
  await bulk.create(links);
  await bulk.close();
  const shorty = new Shorty({ baseUrl: server.origin, accessToken: server.token });
  for (const format of ['csv', 'ndjson']) {
    const result = await compare({
      // Its rate does not depend on the number of links.
      ceiling: () => readEach(shorty, links / 10),
      ours: () => exportLinks(server, links, format),
      runs,
    });
    const name = `export of ${links.toLocaleString('en')} links as ${format} ÷ a request for each`;
    report(name, result, bound, 'links a second');
  }
  await server.stop();
}

/** Reads `count` links, a page at a time. Returns the rate a second. */
async function readEach(shorty, count) {
  const startedAt = performance.now();
  let read = 0;
  for await (const { items } of shorty.urls.list().pages()) {
    const ids = items.map(({ id }) => id);
    const reader = async () => {
      for (let id = ids.pop(); id !== undefined; id = ids.pop()) await shorty.urls.get(id);
    };
    await Promise.all(Array.from({ length: inFlight }, reader));
    read += items.length;
    if (read >= count) break;
  }
  return perSecond(read, startedAt);
}

async function exportLinks({ origin }, links, format) {
  const folder = scratchFolder();
  const file = join(folder, 'links');
  const startedAt = performance.now();
  const child = spawn(
    process.execPath,
    [
      join(root, 'packages/cli/bin/shorty.js'),
      ...['urls', 'export', '--out', file, '--output', format, '--quiet'],
    ],
    {
      env: { PATH: process.env.PATH, HOME: folder, SHORTY_BASE_URL: origin, ...credentials },
      stdio: ['ignore', 'ignore', 'inherit'],
    },
  );
  const [code] = await once(child, 'exit');
  const rate = perSecond(links, startedAt);
  const lines = readFileSync(file, 'utf8').match(/example\.\w+.*\n/g)?.length;
  if (code !== 0 || lines !== links) throw new Error(`exit code ${code}, ${lines} links`);
  return rate;
}

function perSecond(count, startedAt) {
  return (count / (performance.now() - startedAt)) * 1000;
}
