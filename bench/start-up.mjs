// The time of `shorty --version`, against a Node process that does nothing.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { root } from './lib/processes.mjs';
import { median, reportUpper } from './lib/ratio.mjs';

export function benchStartUp({ runs = 25, bound = 1.6 } = {}) {
  const bare = () => wallMs(['-e', '0']);
  const version = () => wallMs([join(root, 'packages/cli/bin/shorty.js'), '--version']);
  // The first run of each fills the file cache.
  bare();
  version();
  const pairs = Array.from({ length: runs }, () => ({ bare: bare(), ours: version() }));
  const ratio = median(pairs.map((pair) => pair.ours / pair.bare));
  const bareMs = median(pairs.map((pair) => pair.bare)).toFixed(0);
  const ourMs = median(pairs.map((pair) => pair.ours)).toFixed(0);
  const detail = `${ourMs} ms against ${bareMs} ms, ${runs} runs`;
  reportUpper('shorty --version ÷ node -e 0', ratio, bound, detail);
}

function wallMs(args) {
  const startedAt = performance.now();
  const { status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
  return performance.now() - startedAt;
}
