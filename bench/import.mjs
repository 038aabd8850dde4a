// `shorty urls bulk-create` on a local server: its rate, against a loop that posts the same rows in
// prepared bodies, and its peak memory, which must not grow with the file.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { bulkCreate } from './lib/links.mjs';
import { credentials, root, scratchFolder, serveShorty } from './lib/processes.mjs';
import { compare, median, report, reportUpper } from './lib/ratio.mjs';

const inFlight = 4;

export async function benchImport({ rows = 50_000, large = 1_000_000 } = {}) {
  const shorty = await serveShorty();
  // The first import fills the file cache.
  await importRows(shorty, 1_000);
  const rate = await compare({
    ceiling: () => bulkCreate(shorty, rows, { inFlight, linkOf }),
    ours: async () => rows / (await importRows(shorty, rows)).seconds,
    runs: 11,
  });
  report('import ÷ a loop that posts the same rows', rate, 0.7, 'rows a second');

  const peaks = [];
  for (let run = 0; run < 3; run += 1) peaks.push((await importRows(shorty, large / 5)).peakMb);
  const small = median(peaks);
  const { peakMb, seconds } = await importRows(shorty, large);
  const count = large.toLocaleString('en');
  const perSecond = `${Math.round(large / seconds).toLocaleString('en')} rows a second`;
  reportUpper(`import of ${count} rows, peak MB`, peakMb, 200, perSecond);
  const peaksOfBoth = `${peakMb.toFixed(0)} MB against ${small.toFixed(0)} MB`;
  reportUpper(`peak of ${count} rows ÷ of a fifth`, peakMb / small, 1.2, peaksOfBoth);
  await shorty.stop();
}

function linkOf(index) {
  return {
    targetUrl: `https://example.com/products/${index}?ref=bench`,
    title: `Product ${index}`,
    tags: ['shop', 'bench'],
  };
}

let imported = 0;

/**
 * Imports new links, and returns the peak memory and the time. Repeated rows have the same idempotency
 * keys, and would not be created again.
 */
async function importRows(shorty, rows) {
  const folder = scratchFolder();
  const list = join(folder, 'links.csv');
  const file = createWriteStream(list);
  file.write('targetUrl,title,tags\n');
  for (let row = 0; row < rows; row += 1) {
    const { targetUrl, title, tags } = linkOf(imported++);
    file.write(`${targetUrl},${title},${tags.join('|')}\n`);
  }
  file.end();
  await once(file, 'finish');

  const peakFile = join(folder, 'peak');
  const args = ['urls', 'bulk-create', list, '--concurrency', String(inFlight)];
  const reporter = join(root, 'bench/lib/report-peak-memory.mjs');
  const startedAt = performance.now();
  const child = spawn(
    process.execPath,
    [
      ...['--import', reporter, join(root, 'packages/cli/bin/shorty.js')],
      ...[...args, '--out', join(folder, 'created.csv')],
    ],
    {
      env: {
        PATH: process.env.PATH,
        HOME: folder,
        SHORTY_BASE_URL: shorty.origin,
        PEAK_MEMORY_FILE: peakFile,
        ...credentials,
      },
      stdio: ['ignore', 'ignore', 'inherit'],
    },
  );
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(`${args.join(' ')} exited with ${code}`);
  const seconds = (performance.now() - startedAt) / 1000;
  return { peakMb: Number(readFileSync(peakFile, 'utf8')), seconds };
}
