// `shorty urls bulk-create` on a local server: its rate, against a loop that posts the same rows in
// prepared bodies, and its peak memory, which must not grow with the file.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { bulkCreator } from './lib/bulk-rows.mjs';
import { credentials, root, scratchFolder, serveShorty } from './lib/processes.mjs';
import { compare, median, report, reportUpper } from './lib/ratio.mjs';

const inFlight = 4;

export async function benchImport({ rows = 50_000, runs = 11, large = 1_000_000 } = {}) {
  const shorty = await serveShorty();
  const bulk = bulkCreator(shorty, { inFlight, linkOf });
  // The first import fills the file cache.
  await importRows(shorty, 1_000);
  const rate = await compare({
    ceiling: () => bulk.create(rows),
    ours: async () => rows / (await importRows(shorty, rows)).seconds,
    runs,
  });
  report('import ÷ a loop that posts the same rows', rate, 0.7, 'rows a second');
  await bulk.close();

  const peaks = [];
  for (let run = 0; run < 3; run += 1) {
    peaks.push((await importRows(shorty, 200_000)).peakMb);
  }
  const small = median(peaks);
  const { peakMb, seconds } = await importRows(shorty, large);
  const count = large.toLocaleString('en');
  const detail = `${Math.round(large / seconds).toLocaleString('en')} rows a second`;
  reportUpper(`import of ${count} rows, peak MB`, peakMb, 200, detail);
  reportUpper(
    `peak of ${count} rows ÷ 200,000 rows`,
    peakMb / small,
    1.2,
    `${peakMb.toFixed(0)} MB against ${small.toFixed(0)} MB`,
  );

  const slugs = 200_000;
  const dryRun = await checkRows(shorty, slugs);
  reportUpper(
    `dry run of ${slugs.toLocaleString('en')} rows with slugs, peak MB`,
    dryRun.peakMb,
    130,
    `compared with ${imported.toLocaleString('en')} links in ${dryRun.seconds.toFixed(0)} s`,
  );
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

/** Imports new links. Repeated rows have the same idempotency keys, and would not be created again. */
async function importRows(shorty, rows) {
  const folder = scratchFolder();
  const list = join(folder, 'links.csv');
  await writeLines(list, 'targetUrl,title,tags', rows, () => {
    const { targetUrl, title, tags } = linkOf(imported++);
    return `${targetUrl},${title},${tags.join('|')}`;
  });
  return runShorty(shorty, folder, [
    ...['urls', 'bulk-create', list, '--concurrency', String(inFlight)],
    ...['--out', join(folder, 'created.csv')],
  ]);
}

/** Compares the slugs of an export of YOURLS with those of all links. */
async function checkRows(shorty, rows) {
  const folder = scratchFolder();
  const list = join(folder, 'yourls.csv');
  await writeLines(
    list,
    'keyword,url,title,clicks',
    rows,
    (row) => `checked-${row},https://example.com/checked/${row},Title,12`,
  );
  return runShorty(shorty, folder, ['import', 'yourls', list, '--dry-run']);
}

async function writeLines(path, header, rows, lineOf) {
  const file = createWriteStream(path);
  file.write(`${header}\n`);
  for (let row = 0; row < rows; row += 1) file.write(`${lineOf(row)}\n`);
  file.end();
  await once(file, 'finish');
}

/** Runs a command, and returns its peak memory and its time. */
async function runShorty(shorty, folder, args) {
  const peakFile = join(folder, 'peak');
  const startedAt = performance.now();
  const child = spawn(
    process.execPath,
    [
      '--import',
      join(root, 'bench/lib/report-peak-memory.mjs'),
      join(root, 'packages/cli/bin/shorty.js'),
      ...args,
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
