// The time of `shorty --version`, and of `shorty urls list` as a second command, whose token and
// profile are stored, against a Node process that does nothing.
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { credentials, root, scratchFolder, serveShorty } from './lib/processes.mjs';
import { median, reportUpper } from './lib/ratio.mjs';

const shorty = join(root, 'packages/cli/bin/shorty.js');

export async function benchStartUp({ runs = 25 } = {}) {
  const bare = () => wallMs(['-e', '0']);
  const version = () => wallMs([shorty, '--version']);
  measure('shorty --version ÷ node -e 0', bare, version, { runs, bound: 1.3 });

  const server = await serveShorty();
  const env = { PATH: process.env.PATH, HOME: scratchFolder() };
  const login = ['login', server.origin, '--client-id', credentials.SHORTY_CLIENT_ID];
  execFileSync(process.execPath, [shorty, ...login], {
    env,
    input: credentials.SHORTY_CLIENT_SECRET,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  const list = () => wallMs([shorty, 'urls', 'list', '--quiet'], env);
  measure('shorty urls list ÷ node -e 0', bare, list, { runs, bound: 2.2 });
  await server.stop();
}

function measure(name, bare, ours, { runs, bound }) {
  // The first run of each fills the file cache and stores the token.
  bare();
  ours();
  const pairs = Array.from({ length: runs }, () => ({ bare: bare(), ours: ours() }));
  const ratio = median(pairs.map((pair) => pair.ours / pair.bare));
  const bareMs = median(pairs.map((pair) => pair.bare)).toFixed(0);
  const ourMs = median(pairs.map((pair) => pair.ours)).toFixed(0);
  reportUpper(name, ratio, bound, `${ourMs} ms against ${bareMs} ms, ${runs} runs`);
}

function wallMs(args, env = process.env) {
  const startedAt = performance.now();
  execFileSync(process.execPath, args, { env, stdio: ['ignore', 'ignore', 'inherit'] });
  return performance.now() - startedAt;
}
