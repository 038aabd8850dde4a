// The time of `shorty --version` against a Node process that does nothing, and of `shorty urls list` with a
// stored profile against one that sends the same two requests.
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
  const fetched = () => wallMs(['--input-type=module', '-e', fetchList(server.origin)]);
  await measure('shorty urls list ÷ fetch', fetched, list, { runs, bound: 2.2 });
  await server.stop();
}

/** Returns a program that requests a token and the list. */
function fetchList(origin) {
  const { SHORTY_CLIENT_ID: clientId, SHORTY_CLIENT_SECRET: clientSecret } = credentials;
  const init = {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ clientId, clientSecret }),
  };
  return `const response = await fetch('${origin}/api/v1/auth/token', ${JSON.stringify(init)});
    const { data } = await response.json();
    const headers = { authorization: 'Bearer ' + data.accessToken };
    const list = await fetch('${origin}/api/v1/urls', { headers });
    if (!list.ok) throw new Error(list.status);
    await list.json();`;
}

async function measure(name, ceiling, ours, { runs, bound }) {
  // The first run of each fills the file cache.
  ceiling();
  ours();
  reportAtMost(name, await compare({ ceiling, ours, runs }), bound, 'ms');
}

function wallMs(args, env = process.env) {
  const startedAt = performance.now();
  execFileSync(process.execPath, args, { env, stdio: ['ignore', 'ignore', 'inherit'] });
  return performance.now() - startedAt;
}
