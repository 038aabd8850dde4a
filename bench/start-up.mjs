// The time of `shorty --version`, and of `shorty urls list` as a second command, whose token and
// profile are stored, against a Node process that does nothing.
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { credentials, root, scratchFolder, serveShorty } from './lib/processes.mjs';
import { compare, reportAtMost } from './lib/ratio.mjs';

const shorty = join(root, 'packages/cli/bin/shorty.js');

export async function benchStartUp({ runs = 25 } = {}) {
  const bare = () => wallMs(['-e', '0']);
  const version = () => wallMs([shorty, '--version']);
  await measure('shorty --version ÷ node -e 0', bare, version, { runs, bound: 1.5 });

  const server = await serveShorty();
  const env = { PATH: process.env.PATH, HOME: scratchFolder() };
  const login = ['login', server.origin, '--client-id', credentials.SHORTY_CLIENT_ID];
  execFileSync(process.execPath, [shorty, ...login], {
    env,
    input: credentials.SHORTY_CLIENT_SECRET,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  const list = () => wallMs([shorty, 'urls', 'list', '--quiet'], env);
  await measure('shorty urls list ÷ node -e 0', bare, list, { runs, bound: 2.2 });
  await server.stop();
}

async function measure(name, ceiling, ours, { runs, bound }) {
  // The first run of each fills the file cache and stores the token.
  ceiling();
  ours();
  reportAtMost(name, await compare({ ceiling, ours, runs }), bound, 'ms');
}

function wallMs(args, env = process.env) {
  const startedAt = performance.now();
  execFileSync(process.execPath, args, { env, stdio: ['ignore', 'ignore', 'inherit'] });
  return performance.now() - startedAt;
}
