import type { ServerResponse } from 'node:http';
import { verifyWebhook } from '@shorty/webhook-verifier';
import { expect, onTestFinished, test } from 'vitest';
import {
  type Receiver,
  receiver as recordDeliveries,
} from '../../server/test/webhooks/receiver.js';
import { startSignedInShorty } from './signed-in-shorty.js';

const { server: api, shorty } = await startSignedInShorty();

/** Starts a receiver on this machine, whose answers a test can replace. */
async function startReceiver() {
  const answers = {
    respond: (response: ServerResponse): void => {
      response.writeHead(202).end('thank you');
    },
  };
  return Object.assign(answers, await recordDeliveries((response) => answers.respond(response)));
}

async function listen(args: string[], env: Record<string, string> = {}) {
  const running = shorty.start(['webhooks', 'listen', ...args], { env });
  onTestFinished(() => void running.process.kill('SIGKILL'));
  const { printed } = running;
  await expect.poll(() => printed.stderr).toContain('Ctrl-C');
  const lines = () => printed.stdout.split('\n').slice(0, -1);
  return {
    ...running,
    secret: /signing secret: (\S+)/.exec(printed.stderr)?.[1] ?? '',
    async printedLines(count: number): Promise<Record<string, unknown>[]> {
      await expect.poll(() => lines().length).toBeGreaterThanOrEqual(count);
      return lines().map((line) => JSON.parse(line));
    },
  };
}

const createUrl = (title = 'x') =>
  api.client.urls.create({ targetUrl: 'https://example.com/', title });
const idsOf = ({ received }: Receiver) => received.map(({ event }) => event.data.id);

test('signs events for a local receiver, prints its answers, and ends with Ctrl-C', async () => {
  const receiver = await startReceiver();
  const types = ['--events', 'url.created,qr.created'];
  const listening = await listen(['--forward-to', receiver.url, ...types]);
  const url = await createUrl('Zoë ☃');
  await receiver.arrived(1);
  const [got] = receiver.received;
  const { body = '', headers = {} } = got ?? {};
  const event = verifyWebhook({ body, headers, secret: listening.secret });
  expect(event).toMatchObject({ type: 'url.created', data: { id: url.id, title: 'Zoë ☃' } });
  expect(headers['webhook-id']).toBe(event.id);
  const [line] = await listening.printedLines(1);
  expect(line).toMatchObject({
    deliveryId: event.id,
    type: 'url.created',
    event: { id: event.id },
    forwardedStatus: 202,
    forwardError: null,
  });
  // Other types are not sent, and a refusal is shown.
  receiver.respond = (response) => void response.writeHead(500).end();
  await api.client.urls.update(url.id, { title: 'y' });
  await createUrl();
  await receiver.arrived(2);
  expect(JSON.parse(receiver.received[1]?.body ?? '').type).toBe('url.created');
  await listening.printedLines(2);
  expect(listening.printed.stderr).toContain('your receiver answered 500');
  listening.process.kill('SIGINT');
  expect((await listening.result).code).toBe(130);
});

test('goes on where it was after kill -9, with the same secret, and sends no event twice', async () => {
  const receiver = await startReceiver();
  const args = ['--forward-to', receiver.url, '--events', 'url.created'];
  const first = await listen(args);
  const ids = [(await createUrl()).id, (await createUrl()).id];
  await first.printedLines(2);
  first.process.kill('SIGKILL');
  await first.result;
  for (let made = 0; made < 3; made += 1) ids.push((await createUrl()).id);
  const second = await listen(args);
  ids.push((await createUrl()).id);
  await second.printedLines(4);
  expect(idsOf(receiver)).toEqual(ids);
  expect(second.secret).toBe(first.secret);
});

test('sends an event again whose answer a kill interrupted', async () => {
  const receiver = await startReceiver();
  receiver.respond = () => {};
  const args = ['--forward-to', receiver.url];
  const first = await listen(args);
  const { id } = await createUrl();
  await receiver.arrived(1);
  first.process.kill('SIGKILL');
  await first.result;
  receiver.respond = (response) => void response.writeHead(204).end();
  const second = await listen(args);
  await second.printedLines(1);
  expect(idsOf(receiver)).toEqual([id, id]);
});

test('signs for the secret of the receiver', async () => {
  // The key is this text, although what follows whsec_ is base64.
  const secret = 'whsec_test';
  const receiver = await startReceiver();
  const listening = await listen(['--forward-to', receiver.url], {
    SHORTY_WEBHOOK_SECRET: secret,
  });
  await createUrl();
  await receiver.arrived(1);
  const { body = '', headers = {} } = receiver.received[0] ?? {};
  expect(verifyWebhook({ body, headers, secret }).type).toBe('url.created');
  expect(listening.printed.stderr).not.toContain(secret);
});

test('trigger posts a signed example to the receiver', async () => {
  const receiver = await startReceiver();
  const { secret } = await listen([]);
  const args = ['webhooks', 'trigger', 'url.clicked', '--forward-to', receiver.url, '--json'];
  const triggered = await shorty.run(args);
  expect([triggered.code, triggered.stderr]).toEqual([0, '']);
  expect(JSON.parse(triggered.stdout)).toMatchObject({ type: 'url.clicked', forwardedStatus: 202 });
  const { body = '', headers = {} } = receiver.received[0] ?? {};
  expect(verifyWebhook({ body, headers, secret })).toMatchObject({
    type: 'url.clicked',
    test: true,
    data: { visits: [{}] },
  });
});

test('trigger says which secret signed an event that the receiver refuses with 401', async () => {
  const receiver = await startReceiver();
  receiver.respond = (response) => void response.writeHead(401).end();
  const { secret } = await listen([]);
  const args = ['webhooks', 'trigger', 'url.created', '--forward-to', receiver.url];
  await shorty.exits(1, `signed with ${secret}, the secret`, args);
  const env = { SHORTY_WEBHOOK_SECRET: 'own-secret' };
  const own = await shorty.run(args, { env });
  expect(own.stderr).toContain('signed with SHORTY_WEBHOOK_SECRET; your receiver needs');
  expect(own.stderr).not.toContain('own-secret');
});

test('trigger says why a receiver gave no answer', async () => {
  const receiver = await startReceiver();
  receiver.respond = (response) => void response.destroy();
  const refused = new URL('http://127.0.0.1:1/');
  for (const [url, reason] of [
    [receiver.url, /socket|closed/],
    [refused.href, /ECONNREFUSED|bad port/],
  ] as const) {
    const args = ['webhooks', 'trigger', 'url.created', '--forward-to', url, '--json'];
    const { code, stdout } = await shorty.run(args);
    expect([code, JSON.parse(stdout)]).toEqual([
      1,
      expect.objectContaining({
        forwardedStatus: null,
        forwardError: expect.stringMatching(reason),
      }),
    ]);
  }
});

// terminal.test.ts has a server that is away.
test('a refused request ends the command with its reason', async () => {
  const env = { SHORTY_ACCESS_TOKEN: await api.token('urls:read') };
  await shorty.exits(4, 'webhooks:read', 'webhooks listen', { env });
});
