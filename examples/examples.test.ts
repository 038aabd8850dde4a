import { once } from 'node:events';
import { connect } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { Shorty } from '@shorty/sdk';
import { createServer } from '@shorty/server';
import { signWebhook } from '@shorty/webhook-verifier';
import { expect, onTestFinished, test } from 'vitest';
import { runScript } from '../packages/server/test/operator/server-process.js';

const folder = fileURLToPath(new URL('.', import.meta.url));

const start = (name: string, environment: NodeJS.ProcessEnv) =>
  runScript([join(folder, name)], { cwd: folder, env: { PATH: process.env.PATH, ...environment } });
const run = (name: string, environment: NodeJS.ProcessEnv) => start(name, environment).ended;

/** Starts a server. Returns it with its first client, and with that of the SDK. */
async function startServer(options: Parameters<typeof createServer>[0] = {}) {
  const server = createServer(options);
  await server.start();
  onTestFinished(() => server.stop());
  const { clientId = '', clientSecret = '' } = server.credentials ?? {};
  return {
    url: server.url,
    shorty: new Shorty({ baseUrl: server.url, clientId, clientSecret }),
    environment: {
      SHORTY_BASE_URL: server.url,
      SHORTY_CLIENT_ID: clientId,
      SHORTY_CLIENT_SECRET: clientSecret,
    },
  };
}

test('create-links creates, lists and pauses, and copes with a slug that it took itself', async () => {
  const { url, environment } = await startServer();
  const first = await run('create-links.mjs', environment);
  expect(first).toMatchObject({ code: 0, stderr: '' });
  expect(first.stdout).toContain(`${url}/node-docs → https://nodejs.org/docs/latest/api/`);
  expect(first.stdout).toMatch(/ is paused\n$/);
  const second = await run('create-links.mjs', environment);
  expect(second).toMatchObject({
    code: 0,
    stderr: 'customSlug "node-docs" is taken on this domain; choose another\n',
  });
});

test('campaign creates a link with rules, says where they lead, and restores and erases it', async () => {
  const operatorKey = 'operator-key-of-the-examples-0123456789';
  const { url, shorty, environment } = await startServer({ operatorKey });
  const { organization } = await shorty.me();
  const operator = new Shorty({ baseUrl: url, accessToken: operatorKey });
  const { id, clientSecret } = await operator.request(
    'POST',
    '/api/v1/admin/organizations/{id}/clients',
    {
      params: { id: organization.id },
      body: { scopes: ['urls:read', 'urls:write', 'urls:erase'] },
    },
  );
  const eraser = { SHORTY_CLIENT_ID: id, SHORTY_CLIENT_SECRET: clientSecret };
  // The first client has all scopes but urls:erase.
  const refused = await run('campaign.mjs', environment);
  expect(refused).toMatchObject({ code: 0, stderr: '' });
  expect(refused.stdout).toContain('not erased: The access token needs the scope urls:erase\n');
  const { code, stdout, stderr } = await run('campaign.mjs', { ...environment, ...eraser });
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout.split('\n').slice(1)).toEqual([
    '{"language":"de-AT"}: 100 % german → https://example.com/de/sale?utm_campaign=sale',
    '{"os":"iOS","device":"mobile"}: 100 % iphone → https://example.com/app?utm_campaign=sale',
    '{}: 50 % pages/1 → https://example.com/sale-a?utm_campaign=sale',
    '{}: 50 % pages/2 → https://example.com/sale-b?utm_campaign=sale',
    'restored: true',
    'erased: true',
    '',
  ]);
});

test('domain sets up a domain, and gets the link that already has a target', async () => {
  const { environment } = await startServer();
  const { code, stdout, stderr } = await run('domain.mjs', environment);
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout.split('\n')).toEqual([
    'go.example.com leads to https://www.example.com/, in any case: true',
    'the same link: true',
    '',
  ]);
});

/** A receiver in a child process, with its URL and its output. */
async function startReceiver(name: string, secret: string) {
  const { child } = start(name, { SHORTY_WEBHOOK_SECRET: secret, PORT: '0' });
  const lines = createInterface({ input: child.stdout });
  const output = lines[Symbol.asyncIterator]();
  const port = /port (\d+)$/.exec((await output.next()).value)?.[1];
  return { url: `http://127.0.0.1:${port}/`, output };
}

/** Creates the webhook paused, because the receiver needs its secret before it listens. */
async function subscribe(shorty: Shorty, name: string) {
  const placeholder = await shorty.webhooks.create({
    url: 'http://127.0.0.1:4000/',
    events: ['url.created', 'qr.created'],
    isActive: false,
  });
  const receiver = await startReceiver(name, placeholder.secret);
  await shorty.webhooks.update(placeholder.id, { url: receiver.url, isActive: true });
  return { ...receiver, id: placeholder.id, secret: placeholder.secret };
}

test('receive-webhooks verifies what a server delivers, and refuses what somebody else signs', async () => {
  const { shorty } = await startServer({ allowPrivateNetwork: true });
  const { url, id: webhookId, secret, output } = await subscribe(shorty, 'receive-webhooks.mjs');

  const link = await shorty.urls.create({ targetUrl: 'https://example.com/ü', title: 'Grüße 🎉' });
  const line = (await output.next()).value;
  expect(line).toMatch(/^url\.created \{/);
  expect(JSON.parse(line.slice('url.created '.length))).toMatchObject({
    id: link.id,
    targetUrl: 'https://example.com/ü',
    title: 'Grüße 🎉',
  });

  const send = (key: string) =>
    run('send-test-webhook.mjs', { SHORTY_WEBHOOK_SECRET: key, RECEIVER_URL: url });
  expect(await send('wrong')).toMatchObject({ code: 0, stdout: 'answered 401\n' });
  expect(await send(secret)).toMatchObject({ code: 0, stdout: 'answered 204\n' });
  while (!(await output.next()).value.startsWith('url.created {"id":"42"'));

  // A stranger cannot end the receiver by closing a connection during the body.
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  const signed = signWebhook({ type: 'domain.verified', data: {} }, { secret: 'wrong' });
  const head = Object.entries(signed.headers).map(([header, value]) => `${header}: ${value}\r\n`);
  await once(socket, 'connect');
  // The receiver responds before it reads the body of a delivery without headers.
  const start = `POST / HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 9\r\n`;
  socket.write(`${start}${head.join('')}\r\n{`);
  await once(socket, 'data');
  socket.resetAndDestroy();
  expect(await send('wrong')).toMatchObject({ code: 0, stdout: 'answered 401\n' });

  // During a rotation, the receiver has only the old secret.
  await shorty.webhooks.rotateSecret(webhookId);
  const code = await shorty.qr.create({ urlId: link.id });
  for (;;) {
    const next: string = (await output.next()).value;
    if (next.startsWith('refused: ')) continue;
    expect(next).toMatch(/^qr\.created \{/);
    expect(next).toContain(code.id);
    break;
  }

  const failed = await shorty.webhooks.deliveries(webhookId, { status: 'failed' });
  expect(failed.total).toBe(0);
});
