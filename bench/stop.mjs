// How long a server takes to stop under load, and whether it loses anything.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { reportUpper } from './lib/ratio.mjs';
import { openStopTrial } from './lib/stop-trial.mjs';

export async function benchStop({ tries = 20 } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'shorty-stop-'));
  const trial = await openStopTrial({ SHORTY_DATABASE_URL: `file:${join(folder, 'shorty.db')}` });
  const times = [];
  const lost = [];
  for (let at = 0; at < tries; at += 1) {
    const { stopMs, missing, sums } = await trial.stopUnderLoad({ redirects: 500, links: 500 });
    times.push(stopMs);
    lost.push(...missing);
    if (process.env.VERBOSE) console.log(Math.round(stopMs), JSON.stringify(sums), missing);
  }
  await trial.close();
  rmSync(folder, { recursive: true, force: true });
  times.sort((a, b) => a - b);
  const detail = `${times.map((ms) => ms.toFixed(0)).join(', ')} ms`;
  // The rank of the 95th percentile: of 20, the second largest.
  const p95 = times[Math.ceil(0.95 * tries) - 1];
  reportUpper('stop under load, 95th percentile, ms', p95, 2_000, detail);
  reportUpper('stop under load, longest, ms', times.at(-1), 10_000, detail);
  reportUpper('acknowledged work that a stop lost', lost.length, 0, lost.slice(0, 5).join('; '));
}
