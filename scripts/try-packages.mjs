// Installs the tarballs of the packages in an empty folder, as their users do, and tries each one.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { createInterface } from 'node:readline';

const credentials = {
  SHORTY_CLIENT_ID: 'package-trial',
  SHORTY_CLIENT_SECRET: 'package-trial-package-trial-package-trial',
};

/**
 * Installs tarballs with npm in an empty folder. With `ignoreScripts`, npm compiles no native addon.
 * Throws when npm fails.
 */
export function installTarballs(
  folder,
  tarballs,
  { node = process.execPath, ignoreScripts = false, env = {} } = {},
) {
  writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }\n');
  const flags = ['--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error'];
  if (ignoreScripts) flags.push('--ignore-scripts');
  runHere(folder, 'npm', ['install', ...flags, ...tarballs], { ...environmentOf(node), ...env });
}

/** Starts the server and uses it by the CLI, the SDK and HTTP. Throws at the first wrong result. */
export async function tryServer(folder, { node = process.execPath } = {}) {
  const env = { ...environmentOf(node), ...credentials, SHORTY_LOG_LEVEL: 'error' };
  const server = spawn('node_modules/.bin/shorty-server', ['start'], {
    cwd: folder,
    env: { ...env, HOST: '127.0.0.1', PORT: '0', SHORTY_DATABASE_URL: 'file:./trial.db' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    const client = { ...env, SHORTY_BASE_URL: await addressOf(server) };
    const args = ['urls', 'create', 'https://example.com/cli', '--json'];
    const shorty = join(folder, 'node_modules/.bin/shorty');
    const { shortUrl } = JSON.parse(runHere(folder, node, [shorty, ...args], client));
    const { status, headers } = await fetch(shortUrl, { redirect: 'manual' });
    const location = headers.get('location');
    if (status !== 307 || location !== 'https://example.com/cli') {
      throw new Error(`GET ${shortUrl}: got ${status} ${location}, not 307 to the target`);
    }
    runProgram(folder, node, sdkProgram, client);
    const database = { ...env, SHORTY_DATABASE_URL: 'file:./trial.db' };
    const list = ['--no', '--', '@shorty/server', 'orgs', 'list'];
    const organizations = runHere(folder, 'npx', list, database);
    if (!organizations.includes('default')) {
      throw new Error(`npx @shorty/server orgs list printed ${organizations}`);
    }
    server.kill('SIGTERM');
    const [code, signal] = await once(server, 'exit');
    if (code !== 0) throw new Error(`the server ended with ${code ?? signal} after SIGTERM, not 0`);
  } finally {
    server.kill('SIGKILL');
  }
}

/** Uses the packages without native code. Throws at the first wrong result. */
export function tryWithoutServer(folder, { node = process.execPath, version }) {
  const env = environmentOf(node);
  const shorty = join(folder, 'node_modules/.bin/shorty');
  for (const [command, ...args] of [
    [node, shorty],
    ['npx', '--no', '--', '@shorty/server'],
  ]) {
    const printed = runHere(folder, command, [...args, '--version'], env).trim();
    if (printed !== version) throw new Error(`${args.at(-1)} --version printed ${printed}`);
  }
  runHere(folder, node, [shorty, 'urls', 'bulk-create', '--help'], env);
  runProgram(folder, node, verifierProgram, env);
  runHere(folder, node, ['--input-type=commonjs', '--eval', commonJsProgram], env);
}

const sdkProgram = `
  import assert from 'node:assert/strict';
  import { Shorty, NotFoundError } from '@shorty/sdk';
  const { SHORTY_BASE_URL: baseUrl, SHORTY_CLIENT_ID: clientId, SHORTY_CLIENT_SECRET: clientSecret } = process.env;
  const shorty = new Shorty({ baseUrl, clientId, clientSecret });
  const created = await shorty.urls.create({ targetUrl: 'https://example.com/sdk' });
  assert.equal((await shorty.urls.get(created.id)).targetUrl, 'https://example.com/sdk');
  const qr = await shorty.qr.create({ urlId: created.id });
  assert.ok(qr.id);
  await assert.rejects(async () => shorty.urls.get('999999'), NotFoundError);
`;

const verifierProgram = `
  import assert from 'node:assert/strict';
  import { signWebhook, verifyWebhook, WebhookVerificationError } from '@shorty/webhook-verifier';
  import { verifyRequest } from '@shorty/webhook-verifier/web';
  import { createDeduper } from '@shorty/webhook-verifier/dedupe';
  import { verifyWebhook as verifyBySdk } from '@shorty/sdk/webhooks';
  const secret = 'whsec_package_trial_package_trial_package';
  const event = { type: 'domain.verified', data: { hostname: 'go.example.com' } };
  const { headers, body } = signWebhook(event, { secret });
  assert.equal(verifyWebhook({ headers, body, secret }).type, 'domain.verified');
  assert.equal(verifyBySdk({ headers, body, secret }).type, 'domain.verified');
  const request = new Request('http://localhost/hook', { method: 'POST', headers, body });
  assert.equal((await verifyRequest(request, { secret })).type, 'domain.verified');
  assert.throws(() => verifyWebhook({ headers, body: body + ' ', secret }), WebhookVerificationError);
  assert.equal(typeof createDeduper, 'function');
`;

const commonJsProgram = `
  const { Shorty } = require('@shorty/sdk');
  const { verifyWebhook } = require('@shorty/webhook-verifier');
  if (require('@shorty/sdk/webhooks').verifyWebhook === undefined) throw new Error('the SDK lacks the verifier');
  new Shorty({ baseUrl: 'http://127.0.0.1:9', accessToken: 'shorty_at_trial' });
  if (typeof verifyWebhook !== 'function') throw new Error('verifyWebhook is missing');
`;

function runProgram(folder, node, program, env) {
  runHere(folder, node, ['--input-type=module', '--eval', program], env);
}

function runHere(folder, command, args, env) {
  const { status, signal, stdout, stderr, error } = spawnSync(command, args, {
    cwd: folder,
    env,
    encoding: 'utf8',
  });
  if (status === 0) return stdout;
  const reason = error?.message ?? `ended with ${status ?? signal}\n${stdout}${stderr}`;
  throw new Error(`${command} ${args.join(' ')} in ${folder}: ${reason}`);
}

/** Returns the address that a starting server prints. */
async function addressOf(server) {
  for await (const line of createInterface(server.stdout)) {
    const [, address] = /listening on (\S+)/.exec(line) ?? [];
    if (address) return address;
  }
  throw new Error('the server ended before it listened');
}

/** Returns this process's environment with the given Node first and without settings of Shorty. */
function environmentOf(node) {
  const path = `${dirname(node)}${delimiter}${process.env.PATH}`;
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('SHORTY_'));
  return { ...Object.fromEntries(inherited), PATH: path };
}
