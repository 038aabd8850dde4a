import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import {
  createServer,
  type IncomingHttpHeaders,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Shorty } from '@shorty/sdk';
import { createServer as createShorty } from '@shorty/server';
import { verifyWebhook } from '@shorty/webhook-verifier';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { poll } from '../../server/test/poll.js';
import { type ApiServer, startApiServer } from './api-server.js';
import { BuiltShorty, type Running } from './built-shorty.js';

interface Forwarded {
  readonly body: string;
  readonly headers: IncomingHttpHeaders;
}

/** A receiver on this machine. */
interface Receiver {
  readonly url: string;
  readonly received: Forwarded[];
  respond: (response: ServerResponse) => void;
  arrived(count: number): Promise<void>;
}

let shorty: BuiltShorty;
let api: ApiServer;
let now = Date.now();
beforeAll(async () => {
  api = await startApiServer({ clock: () => now });
  shorty = await BuiltShorty.build(api.env);
});
afterAll(async () => {
  await shorty.remove();
  await api.stop();
});

async function startReceiver(port = 0): Promise<Receiver> {
  const received: Forwarded[] = [];
  const server: Server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    received.push({ body: Buffer.concat(chunks).toString(), headers: request.headers });
    receiver.respond(response);
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const receiver: Receiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`,
    received,
    respond: (response) => void response.writeHead(202).end('thank you'),
    async arrived(count) {
      await poll(
        `${count} forwarded deliveries`,
        () => received.length,
        (length) => length >= count,
      );
    },
  };
  return receiver;
}

interface Listening extends Running {
  readonly id: string;
  readonly secret: string;
  readonly printed: { stdout: string; stderr: string };
  /** The printed lines. */
  lines(): Record<string, unknown>[];
  printedLines(count: number): Promise<Record<string, unknown>[]>;
}

async function listen(args: string[], env: Record<string, string> = {}): Promise<Listening> {
  const running = shorty.start(['webhooks', 'listen', ...args], { env });
  onTestFinished(() => void running.process.kill('SIGKILL'));
  const printed = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    running.process[name].on('data', (text: string) => {
      printed[name] += text;
    });
  }
  await poll(
    'the start of webhooks listen',
    () => printed.stderr,
    (text) => /Ctrl-C/.test(text),
  );
  const lines = () =>
    printed.stdout
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line));
  return {
    ...running,
    printed,
    id: /webhook (\S+)/.exec(printed.stderr)?.[1] ?? '',
    secret: /signing secret: (\S+)/.exec(printed.stderr)?.[1] ?? '',
    lines,
    async printedLines(count) {
      await poll(
        `${count} printed lines`,
        () => lines().length,
        (length) => length >= count,
      );
      return lines();
    },
  };
}

const createUrl = (title = 'x') =>
  api.client.urls.create({ targetUrl: 'https://example.com/', title });
const isGone = async (id: string) =>
  (await api.client.webhooks.list().toArray()).every((webhook) => webhook.id !== id);

test('forwards the exact delivery to a local receiver, prints it, and deletes the webhook on Ctrl-C', async () => {
  const receiver = await startReceiver();
  const listening = await listen([
    '--forward-to',
    receiver.url,
    '--events',
    'url.created,qr.created',
  ]);
  const { id, secret } = listening;
  const url = await createUrl('Zoë ☃');
  await receiver.arrived(1);
  const [got] = receiver.received;
  const event = verifyWebhook({ body: got?.body ?? '', headers: got?.headers ?? {}, secret });
  expect(event).toMatchObject({ type: 'url.created', data: { id: url.id, title: 'Zoë ☃' } });
  const [line] = await listening.printedLines(1);
  expect(line).toMatchObject({
    webhookId: id,
    deliveryId: got?.headers['x-service-delivery-id'],
    type: 'url.created',
    isVerified: true,
    event: { id: event.id },
    forwardedStatus: 202,
    forwardError: null,
  });
  const deliveryId = String(line?.deliveryId);
  await expect
    .poll(async () => (await api.client.webhooks.delivery(id, deliveryId)).status)
    .toBe('delivered');
  const { attemptHistory, requestBody } = await api.client.webhooks.delivery(id, deliveryId);
  expect(attemptHistory).toMatchObject([{ statusCode: 202, responseBody: 'thank you' }]);
  expect(got?.body).toBe(requestBody);

  // Other types are not delivered.
  await api.client.urls.update(url.id, { title: 'y' });
  await createUrl();
  await receiver.arrived(2);
  expect(JSON.parse(receiver.received[1]?.body ?? '').type).toBe('url.created');

  listening.process.kill('SIGINT');
  expect((await listening.result).code).toBe(130);
  expect(await isGone(id)).toBe(true);
});

test('SIGTERM deletes the webhook, too, while the receiver hangs', async () => {
  const receiver = await startReceiver();
  receiver.respond = () => {};
  const listening = await listen(['--forward-to', receiver.url]);
  await createUrl();
  await receiver.arrived(1);
  listening.process.kill('SIGTERM');
  expect((await listening.result).code).toBe(143);
  expect(await isGone(listening.id)).toBe(true);
});

test('trigger sends an example with other values, and resend repeats a delivery that failed', async () => {
  const closed = await startReceiver();
  const { port } = new URL(closed.url);
  const listening = await listen(['--forward-to', `http://127.0.0.1:1${'/hooks'}`]);
  const triggered = await shorty.run([
    ...['webhooks', 'trigger', 'url.clicked', '--json'],
    ...['--set', 'visits[0].country=FR', '--set', 'omitted=3', '--set', 'visits[0].urlId=42'],
  ]);
  expect([triggered.code, triggered.stderr]).toEqual([0, '']);
  const [line] = await listening.printedLines(1);
  expect(line).toMatchObject({
    type: 'url.clicked',
    forwardedStatus: null,
    forwardError: expect.stringContaining('ECONNREFUSED'),
    event: { test: true, data: { visits: [{ country: 'FR', urlId: '42' }], omitted: 3 } },
  });
  const { id: deliveryId } = JSON.parse(triggered.stdout);
  await expect
    .poll(() => listening.printed.stderr)
    .toContain(`shorty webhooks resend ${listening.id} ${deliveryId}\n`);
  expect(listening.printed.stderr).toContain('start it, and send the delivery again');
  await expect
    .poll(async () => (await api.client.webhooks.delivery(listening.id, deliveryId)).status)
    .toBe('failed');
  const again = await shorty.run(['webhooks', 'resend', listening.id, deliveryId]);
  expect(again.code).toBe(0);
  const [, second] = await listening.printedLines(2);
  expect(second?.event).toEqual(line?.event);
  expect(port).not.toBe('1');

  const other = await listen([]);
  const ambiguous = await shorty.run(['webhooks', 'trigger', 'url.created']);
  expect(ambiguous.code).toBe(2);
  expect(ambiguous.stderr).toContain(other.id);
  const chosen = ['webhooks', 'trigger', 'url.created', '--webhook', other.id];
  expect((await shorty.run([...chosen, '--set', 'titel=x'])).stderr).toContain(
    'set.titel is no field of the data of url.created',
  );
  expect((await shorty.run([...chosen, '--set', 'title'])).code).toBe(2);
  for (const each of [listening, other]) {
    each.process.kill('SIGINT');
    await each.result;
  }
  const none = await shorty.run(['webhooks', 'trigger', 'url.created']);
  expect([none.code, none.stderr]).toEqual([
    2,
    expect.stringContaining('no webhooks listen is running'),
  ]);
});

test('begins with the last events on request, and signs for the secret of the receiver', async () => {
  // The key is this text, although what follows whsec_ is base64.
  const ownSecret = 'whsec_test';
  const hook = await api.client.webhooks.create({
    url: 'https://example.com/',
    events: ['url.created'],
  });
  const urls = [await createUrl(), await createUrl(), await createUrl()];
  const receiver = await startReceiver();
  const listening = await listen(['--forward-to', receiver.url, '--replay-last', '2'], {
    SHORTY_WEBHOOK_SECRET: ownSecret,
  });
  await receiver.arrived(2);
  const ids = receiver.received.map(({ body, headers }) => {
    const signed = createHmac('sha256', ownSecret).update(
      `${headers['x-service-timestamp']}.${body}`,
    );
    expect(headers['x-service-signature']).toBe(`sha256=${signed.digest('hex')}`);
    return (verifyWebhook({ body, headers, secret: ownSecret }).data as { id: string }).id;
  });
  expect(ids.sort()).toEqual(urls.slice(1).map(({ id }) => id));
  expect(listening.printed.stderr).toContain('and the last 2');
  expect(listening.printed.stderr).not.toContain('shorty_ws_');
  await api.client.webhooks.delete(hook.id);
  listening.process.kill('SIGINT');
  await listening.result;
});

test('a slow receiver gets each event once, several at a time', async () => {
  const receiver = await startReceiver();
  const open: ServerResponse[] = [];
  receiver.respond = (response) => void open.push(response);
  const listening = await listen(['--forward-to', receiver.url]);
  const urls = Array.from({ length: 150 }, () => ({ targetUrl: 'https://example.com/' }));
  await api.client.urls.bulkCreate(urls);
  while (receiver.received.length < 150 || open.length > 0) {
    await poll(
      'requests that wait',
      () => open.length,
      (length) => length > 0,
    );
    expect(open.length).toBeLessThanOrEqual(8);
    for (const response of open.splice(0)) response.writeHead(204).end();
  }
  await listening.printedLines(150);
  const ids = receiver.received.map(({ body }) => JSON.parse(body).id);
  expect(new Set(ids).size).toBe(150);
  expect(ids).toHaveLength(150);
  listening.process.kill('SIGINT');
  await listening.result;
});

test('kill -9 leaves a webhook that expires by itself', async () => {
  const listening = await listen([]);
  expect(await isGone(listening.id)).toBe(false);
  listening.process.kill('SIGKILL');
  await listening.result;
  await expect
    .poll(
      async () => {
        now += 2_000;
        return isGone(listening.id);
      },
      { timeout: 40_000 },
    )
    .toBe(true);
});

test('a restart of the server loses no event, and a deleted webhook is replaced', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'shorty-listen-'));
  let restartedAt = 0;
  const start = async (port: number) => {
    const server = createShorty({
      port,
      databaseUrl: `file:${join(folder, 'shorty.db')}`,
      clock: () => Date.now() + restartedAt,
    });
    await server.start();
    return server;
  };
  let server = await start(0);
  const { credentials, url } = server;
  if (!credentials) throw new Error('the database is not empty');
  const env = {
    SHORTY_BASE_URL: url,
    SHORTY_CLIENT_ID: credentials.clientId,
    SHORTY_CLIENT_SECRET: credentials.clientSecret,
  };
  const client = new Shorty({ baseUrl: url, ...credentials });
  const port = Number(new URL(url).port);
  const receiver = await startReceiver();
  const listening = await listen(['--forward-to', receiver.url], env);
  const create = async () => (await client.urls.create({ targetUrl: 'https://example.com/' })).id;
  const ids = [await create()];
  await receiver.arrived(1);
  await server.stop();
  server = await start(port);
  ids.push(await create());
  await receiver.arrived(2);
  expect(receiver.received.map(({ body }) => JSON.parse(body).data.id)).toEqual(ids);
  expect(listening.printed.stderr).not.toContain('expired');

  // Longer than a stream lives without its client, and within the tolerance of signatures.
  await server.stop();
  restartedAt = 4 * 60_000;
  server = await start(port);
  ids.push(await create());
  await receiver.arrived(3);
  expect(JSON.parse(receiver.received[2]?.body ?? '').data.id).toBe(ids[2]);

  await client.webhooks.delete(listening.id);
  await expect
    .poll(() => listening.printed.stderr, { timeout: 30_000 })
    .toMatch(/has expired or was deleted[\s\S]*signing secret: shorty_ws_/);
  ids.push(await create());
  await receiver.arrived(4);
  expect(JSON.parse(receiver.received[3]?.body ?? '').data.id).toBe(ids[3]);
  listening.process.kill('SIGINT');
  expect((await listening.result).code).toBe(130);
  expect((await client.webhooks.list()).total).toBe(0);
  await server.stop();
  await rm(folder, { recursive: true, force: true });
});

test('a server that is away while it replaces the webhook does not end the command', async () => {
  const requests: string[] = [];
  let created = 0;
  let refused = 0;
  const server = createServer((request, response) => {
    const call = `${request.method} ${new URL(request.url ?? '', 'http://x').pathname}`;
    requests.push(call);
    const reply = (status: number, body: object) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    if (call.startsWith('DELETE')) return reply(200, { success: true, data: {} });
    if (call.endsWith('/streams')) {
      // The first webhook is created, and the server is away before the second.
      if (created === 1 && refused < 4) {
        refused += 1;
        return response.writeHead(503, { 'retry-after': '0' }).end();
      }
      created += 1;
      const data = { id: `stream-${created}`, secret: `secret-${created}`, replayed: 0 };
      return reply(201, { success: true, data });
    }
    if (call.endsWith('/stream-1')) {
      const error = { code: 'NOT_FOUND', message: 'There is no such webhook' };
      return reply(404, { success: false, error });
    }
    return response
      .writeHead(200, { 'content-type': 'text/event-stream' })
      .write(': heartbeat\n\n');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const listening = await listen([], {
    SHORTY_BASE_URL: `http://127.0.0.1:${port}`,
    SHORTY_ACCESS_TOKEN: 'token',
  });
  await poll(
    'the second webhook is followed',
    () => requests,
    (calls) => calls.includes('GET /api/v1/webhooks/streams/stream-2'),
  );
  expect(refused).toBe(4);
  expect(listening.printed.stderr).toContain('signing secret: secret-2');
  listening.process.kill('SIGINT');
  expect((await listening.result).code).toBe(130);
  expect(requests.at(-1)).toBe('DELETE /api/v1/webhooks/stream-2');
});

test('a refused request ends the command with its reason', async () => {
  const env = { SHORTY_ACCESS_TOKEN: await api.token('webhooks:read') };
  const result = await shorty.run(['webhooks', 'listen'], { env });
  expect([result.code, result.stderr]).toEqual([4, expect.stringContaining('webhooks:write')]);
  for (const [args, message] of [
    [['--events', 'url.creatd'], 'did you mean url.created?'],
    [['--replay-last', '101'], 'must be at most 100'],
    [['--host', '::1'], '--host needs --port'],
    [['--port', '0', '--events', '*'], '--events does not apply with --port'],
  ] as const) {
    const wrong = await shorty.run(['webhooks', 'listen', ...args]);
    expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining(message)]);
  }
});
