import type { Socket } from 'node:net';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { GuardedFetch } from '../../src/network/guarded-fetch.js';
import { signAndSend } from '../../src/webhooks/sign-and-send.js';
import type { WebhookDispatcher } from '../../src/webhooks/webhook-dispatcher.js';
import { drip, flood, type RequestServer, requestServer } from '../network/local-server.js';
import { poll, thinkTime } from '../poll.js';
import { type Opened, openDispatcher } from './open-dispatcher.js';

let opened: Opened;
let dispatcher: WebhookDispatcher;
beforeEach(async () => {
  opened = await openDispatcher();
  dispatcher = opened.dispatcher();
});

/** The newest delivery of a webhook, and the newest attempt. */
interface Result {
  readonly status: string;
  readonly attempts: number;
  readonly statusCode: number | null;
  readonly error: string | null;
  readonly responseBody: string | null;
  readonly tookMs: number;
}

async function deliver(webhookId: string): Promise<Result> {
  await opened.record(webhookId);
  const startedAt = performance.now();
  expect(await dispatcher.drain()).toBe(1);
  const tookMs = performance.now() - startedAt;
  const { status, attempts, attemptHistory } = await opened.newest(webhookId);
  const { statusCode = null, error = null, responseBody = null } = attemptHistory.at(-1) ?? {};
  return { status, attempts, statusCode, error, responseBody, tookMs };
}

async function deliverTo(server: RequestServer): Promise<Result> {
  return deliver(await opened.subscribe(server.url));
}

const closed = (server: RequestServer) =>
  poll('all connections are closed', server.open, (open) => open === 0, { timeoutMs: 5_000 });

const ok = 'HTTP/1.1 200 OK\r\n';
const empty = `${ok}Content-Length: 0\r\n\r\n`;

describe('the headers of a response decide, not its body', () => {
  it.each<[string, (socket: Socket) => void]>([
    ['slow', (socket) => drip(socket, `${ok}Content-Length: 100000\r\n\r\n`, '.')],
    [
      'of slow trailers',
      (socket) => drip(socket, `${ok}Transfer-Encoding: chunked\r\n\r\n0\r\n`, 'A: b\r\n'),
    ],
    ['endless', (socket) => flood(socket, `${ok}\r\n`, Buffer.alloc(65_536, 'x'))],
    [
      'reset too early',
      (socket) => socket.write(`${ok}Content-Length: 5\r\n\r\nhi`, () => socket.resetAndDestroy()),
    ],
  ])('a 200 with a body that is %s', async (_name, answer) => {
    const server = await requestServer(answer);
    const result = await deliverTo(server);
    expect(result).toMatchObject({
      status: 'delivered',
      attempts: 1,
      statusCode: 200,
      error: null,
    });
    expect(result.tookMs).toBeLessThan(3_000);
    await closed(server);
  });

  it('stores what arrived of a slow body', async () => {
    const server = await requestServer((socket) => {
      socket.write(`${ok}Content-Length: 50\r\n\r\nthe first`);
    });
    expect(await deliverTo(server)).toMatchObject({ statusCode: 200, responseBody: 'the first' });
  });

  it('a body is cut between characters', async () => {
    const start = 'x'.repeat(2_046);
    const body = Buffer.from(`${start}\u{1f600}`);
    const server = await requestServer((socket) => {
      socket.write(`${ok}Content-Length: ${body.length}\r\n\r\n`);
      socket.end(body);
    });
    expect((await deliverTo(server)).responseBody).toBe(start);
  });
});

describe('a connection that the receiver closed while it was idle', () => {
  it('is replaced within the attempt, once', async () => {
    const server = await requestServer((socket, request, connection) => {
      if (request === 1 && connection <= 2) socket.write(empty);
      else if (connection === 1) socket.end();
      else socket.resetAndDestroy();
    });
    const id = await opened.subscribe(server.url);
    expect(await deliver(id)).toMatchObject({ status: 'delivered', attempts: 1 });
    expect(await deliver(id)).toMatchObject({ status: 'delivered', attempts: 1, statusCode: 200 });
    expect([server.connections(), server.requests()]).toEqual([2, 3]);
    const error = 'The connection was closed before the response was complete';
    expect(await deliver(id)).toMatchObject({ status: 'pending', attempts: 1, error });
  });

  it('is replaced within the time limit of the attempt', async () => {
    dispatcher = opened.dispatcher({ attemptTimeoutMs: 600 });
    const server = await requestServer((socket, request, connection) => {
      if (request === 2) void thinkTime(300).then(() => socket.end());
      else if (connection === 1) socket.write(empty);
    });
    const id = await opened.subscribe(server.url);
    await deliver(id);
    const result = await deliver(id);
    expect(result).toMatchObject({ error: 'No response within 600 ms', attempts: 1 });
    expect(result.tookMs).toBeLessThan(1_500);
    expect(server.requests()).toBe(3);
  });
});

it('an attempt at a misbehaving receiver has 5 s to respond', async () => {
  const { database } = opened.stored;
  const id = await opened.subscribe('https://receiver.example/');
  await opened.record(id);
  const [delivery] = await opened.claim([id]);
  if (!delivery) throw new Error('nothing was claimed');
  const request = vi.fn(async () => ({ status: 204, body: new Uint8Array() }));
  await signAndSend(delivery, {
    fetch: { request, close: () => {} } as unknown as GuardedFetch,
    schedule: [],
    clock: opened.clock,
    keyring: database.keyring,
  });
  const options = expect.objectContaining({ timeoutMs: 5_000 });
  expect(request).toHaveBeenCalledWith('https://receiver.example/', options);
});
