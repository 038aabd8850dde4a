// The time of `shorty --version` against a Node process that does nothing, and of `shorty urls list` against
// one that sends the same request.
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { root, serveShorty } from './lib/processes.mjs';
import { compare, reportAtMost } from './lib/ratio.mjs';

const shorty = join(root, 'packages/cli/bin/shorty.js');
const runs = 25;

export async function benchStartUp() {
  await measure('shorty --version ÷ node -e 0', ['-e', '0'], [shorty, '--version'], 1.5);

  const { origin, token, stop } = await serveShorty();
  const env = { ...process.env, SHORTY_BASE_URL: origin, SHORTY_ACCESS_TOKEN: token };
  const headers = JSON.stringify({ authorization: `Bearer ${token}` });
  const program = `fetch('${origin}/api/v1/urls', { headers: ${headers} }).then((all) => all.json())`;
  const list = [shorty, 'urls', 'list', '--quiet'];
  await measure('shorty urls list ÷ fetch', ['-e', program], list, 2.2, env);
  await stop();
}

async function measure(name, bare, own, bound, env = process.env) {
  const timerOf = (args) => () => {
    const startedAt = performance.now();
    execFileSync(process.execPath, args, { env, stdio: ['ignore', 'ignore', 'inherit'] });
    return performance.now() - startedAt;
  };
  const [ceiling, ours] = [timerOf(bare), timerOf(own)];
  // The first run of each fills the file cache.
  ceiling();
  ours();
  reportAtMost(name, await compare({ ceiling, ours, runs }), bound, 'ms');
}
