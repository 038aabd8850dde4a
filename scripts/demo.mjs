// `npm run demo`: shows every feature on a temporary server, which is removed at the end.
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { build, fail, install, root } from './bootstrap.mjs';
import { people, programs, scan } from './demo-visitors.mjs';

install();
build();

const scratch = mkdtempSync(join(tmpdir(), 'shorty-demo-'));
// The user's own settings must not affect the demo.
const isSetting = /^(SHORTY_.*|PORT|HOST)$/;
const environment = {
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !isSetting.test(name))),
  PORT: '0',
  SHORTY_DATABASE_URL: `file:${join(scratch, 'shorty.db')}`,
  SHORTY_CONFIG_DIR: join(scratch, 'config'),
  SHORTY_STATE_DIR: join(scratch, 'state'),
  SHORTY_CLIENT_ID: 'demo',
  SHORTY_CLIENT_SECRET: randomBytes(16).toString('hex'),
  SHORTY_LOG_LEVEL: 'error',
  // The receiver is local, visitors' addresses are simulated, and the fifth click creates an event.
  SHORTY_ALLOW_PRIVATE_NETWORK: '1',
  SHORTY_TRUST_PROXY: '127.0.0.1,::1',
  SHORTY_THRESHOLDS: '5',
};

const cli = 'packages/cli/bin/shorty.js';
const limitMs = 60_000;
const running = [];
// Aborted with the reason when the demo must end early.
const ending = new AbortController();
const ended = new Promise((_, reject) => {
  ending.signal.addEventListener('abort', () => reject(ending.signal.reason));
});
for (const name of ['SIGINT', 'SIGTERM']) {
  process.on(name, () => ending.abort(new Error('interrupted')));
}
setTimeout(() => ending.abort(new Error('not finished within 60 s')), limitMs);

let steps = 0;
let error;
try {
  await Promise.race([tour(), ended]);
} catch (reason) {
  error = reason;
}
ending.abort();
for (const child of running.reverse()) await end(child);
rmSync(scratch, { recursive: true, force: true });
if (error) fail(`the demo failed at step ${steps}: ${error.message}`);
process.exit(0);

async function tour() {
  step('A server starts: one process and one file, here in a temporary folder.');
  show('npx shorty-server start --create');
  const server = start('the server', 'packages/server/bin/shorty-server.js', ['start', '--create']);
  let origin;
  for await (const line of createInterface(server.stdout)) {
    origin = /listening on (\S+)/.exec(line)?.[1];
    if (origin) break;
  }
  environment.SHORTY_BASE_URL = origin;
  console.log(`It listens on ${origin}`);

  step(
    'An import creates links from a CSV file. 15 of its 1,029 rows are invalid and are reported.',
  );
  await run('urls bulk-create examples/links.csv', { expected: 3 });

  step('A webhook subscribes to events of codes and clicks. A local receiver verifies deliveries.');
  const receiver = await openReceiver();
  const { hook, received } = receiver;
  const webhook = await read(`webhooks create ${hook} --event qr.created,url.click_threshold`);
  console.log(`Webhook ${webhook.id} signs deliveries with a secret that is shown only once`);
  receiver.secret = webhook.secret;

  step('A QR code is created for a link. The server decodes the image before it stores it.');
  const { items } = await read('urls list --search Oxygen');
  const [link] = items;
  console.log(`Link ${link.id}: ${link.shortUrl} leads to ${link.targetUrl}`);
  const image = join(scratch, 'oxygen.png');
  await run(`qr create ${link.id} --out ${image}`);
  console.log(`It has ${statSync(image).size.toLocaleString('en')} bytes`);

  step('People and crawlers visit the link. One person scans the code; the others use the slug.');
  show(`curl -i ${link.shortUrl}`);
  for (const [visitor, agent, address, referer = ''] of [...people, ...programs]) {
    const key = visitor === scan ? link.shortCode : link.customSlug;
    const headers = { 'user-agent': agent, 'x-forwarded-for': address, referer };
    const { status } = await fetch(`${origin}/${key}`, { headers, redirect: 'manual' });
    console.log(`${status}  /${key.padEnd(9)}  ${visitor}`);
    if (status !== 307) throw new Error(`${visitor}: got status ${status}, not 307`);
  }

  step('The receiver has verified both events. It refuses a forged one.');
  for (const type of ['qr.created', 'url.click_threshold']) {
    await until(() => received.some((line) => line.startsWith(`verified ${type}`)), type);
  }
  const { status } = await forgeEvent(hook);
  for (const line of received) console.log(line);
  console.log(`The forged request got status ${status}`);

  step('The report counts people and excludes crawlers.');
  await until(async () => {
    const { totals } = await read('analytics overview', { isShown: false });
    return totals.totalClicks === people.length && totals.totalScans === 1;
  }, `${people.length} clicks and 1 scan`);
  await run('analytics report --since 24h --group-by hour');

  console.log(
    '\nThe demo is finished, and its files are deleted. Start your own server: npm start',
  );
}

function step(title) {
  steps += 1;
  console.log(`\n${steps}. ${title}`);
}

function show(command) {
  console.log(`$ ${command}`);
}

/** Runs a `shorty` command and shows its output. */
async function run(command, { expected } = {}) {
  show(`npx shorty ${command}`);
  await endOf(launch(cli, command.split(' '), 'inherit'), command, expected);
}

/** Runs a `shorty` command and returns its JSON output. */
async function read(command, { isShown = true } = {}) {
  const asJson = `${command} --json`;
  if (isShown) show(`npx shorty ${asJson}`);
  const args = [...asJson.split(' '), '--quiet'];
  const child = launch(cli, args, ['ignore', 'pipe', 'inherit']);
  let stdout = '';
  child.stdout.setEncoding('utf8').on('data', (text) => {
    stdout += text;
  });
  await endOf(child, command);
  return JSON.parse(stdout);
}

/** Starts a program that runs until the demo ends. */
function start(name, script, args) {
  const child = launch(script, args, ['ignore', 'pipe', 'pipe']);
  child.stderr.pipe(process.stderr);
  child.once('exit', () => ending.abort(new Error(`${name} exited`)));
  return child;
}

function launch(script, args, stdio) {
  ending.signal.throwIfAborted();
  const child = spawn(process.execPath, [script, ...args], { cwd: root, env: environment, stdio });
  running.push(child);
  return child;
}

async function endOf(child, command, expected = 0) {
  const [code] = await once(child, 'close');
  if (code !== expected) throw new Error(`shorty ${command} exited with ${code}, not ${expected}`);
}

async function end(child) {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGINT');
  await once(child, 'exit');
}

async function until(condition, what) {
  const deadline = performance.now() + 10_000;
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error(`${what}: not observed within 10 s`);
    await sleep(100);
  }
}

/** Receives deliveries, and verifies them with the package that receivers use. */
async function openReceiver() {
  const { verifyWebhook } = await import('../packages/webhook-verifier/dist/index.js');
  const receiver = { received: [] };
  const server = createServer(async (request, response) => {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const { headers } = request;
    try {
      const { secret } = receiver;
      const event = verifyWebhook({ body: Buffer.concat(chunks), headers, secret });
      receiver.received.push(`verified ${event.type}  ${headers['x-service-delivery-id']}`);
      response.writeHead(204).end();
    } catch (error) {
      receiver.received.push(`refused ${error.code}`);
      response.writeHead(error.statusCode ?? 500).end();
    }
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  receiver.hook = `http://127.0.0.1:${server.address().port}`;
  return receiver;
}

async function forgeEvent(url) {
  const { signWebhook } = await import('../packages/webhook-verifier/dist/index.js');
  const event = { type: 'domain.verified', data: { hostname: 'go.example.com' } };
  return fetch(url, { method: 'POST', ...signWebhook(event, { secret: 'a guess of the secret' }) });
}
