// Peak memory of `shorty urls bulk-create` against a local server, and its growth with the file.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { credentials, root, scratchFolder, serveShorty } from './lib/processes.mjs';
import { median, reportUpper } from './lib/ratio.mjs';

export async function benchImportMemory({ runs = 5, boundMb = 150, boundGrowth = 1.2 } = {}) {
  const shorty = await serveShorty();
  const peaks = { 10000: [], 100000: [] };
  const rates = [];
  for (let run = 0; run < runs; run += 1) {
    for (const rows of [10_000, 100_000]) {
      const { peakMb, seconds } = await importRows(shorty, rows, run);
      peaks[rows].push(peakMb);
      if (rows === 100_000) rates.push(rows / seconds);
    }
  }
  const small = median(peaks[10_000]);
  const large = median(peaks[100_000]);
  const rate = Math.round(median(rates)).toLocaleString('en');
  reportUpper('import of 100,000 rows, peak MB', large, boundMb, `${rate} rows a second`);
  reportUpper(
    'peak of 100,000 rows ÷ 10,000 rows',
    large / small,
    boundGrowth,
    `${large.toFixed(0)} MB against ${small.toFixed(0)} MB, ${runs} runs`,
  );
  await shorty.stop();
}

async function importRows(shorty, rows, run) {
  const folder = scratchFolder();
  const list = join(folder, 'links.csv');
  // Repeated rows have the same idempotency keys, so the server would not create them again.
  const lines = Array.from({ length: rows }, (_, row) => {
    return `https://example.com/products/${row}?run=${run},Product ${row},shop|bench`;
  });
  writeFileSync(list, `url,title,tags\n${lines.join('\n')}\n`);
  const peakFile = join(folder, 'peak');
  const startedAt = performance.now();
  const child = spawn(
    process.execPath,
    [
      '--import',
      join(root, 'bench/lib/report-peak-memory.mjs'),
      join(root, 'packages/cli/bin/shorty.js'),
      ...['urls', 'bulk-create', list, '--out', join(folder, 'created.csv')],
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
  if (code !== 0) throw new Error(`the import exited with ${code}, not 0`);
  const seconds = (performance.now() - startedAt) / 1000;
  return { peakMb: Number(readFileSync(peakFile, 'utf8')), seconds };
}
