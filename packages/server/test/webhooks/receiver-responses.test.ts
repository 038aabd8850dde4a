import type { Socket } from 'node:net';
import { beforeEach, describe, expect, it } from 'vitest';
import { listDeliveries } from '../../src/webhooks/delivery-repository.js';
import type { WebhookDispatcher } from '../../src/webhooks/webhook-dispatcher.js';
import { flood, type RequestServer, requestServer } from '../network/local-server.js';
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
  const { items } = await listDeliveries(opened.stored.database, webhookId, {
    limit: 1,
    offset: 0,
  });
  const found = await opened.deliveries.find(webhookId, items[0]?.id ?? '');
  const attempt = found?.attemptHistory.at(-1);
  return {
    status: found?.status ?? '',
    attempts: found?.attempts ?? 0,
    statusCode: attempt?.statusCode ?? null,
    error: attempt?.error ?? null,
    responseBody: attempt?.responseBody ?? null,
    tookMs,
  };
}

async function deliverTo(server: RequestServer): Promise<Result> {
  return deliver(await opened.subscribe(server.url));
}

const closed = (server: RequestServer) =>
  poll('all connections are closed', server.open, (open) => open === 0, { timeoutMs: 5_000 });

/** Writes a text byte by byte, each in its own packet. */
async function trickle(socket: Socket, text: string): Promise<void> {
  socket.setNoDelay(true);
  for (const byte of Buffer.from(text)) {
    await new Promise((resolve) => socket.write(Buffer.of(byte), resolve));
  }
}

/** Writes a piece every 20 ms until the connection is closed. */
function drip(socket: Socket, head: string, piece: string): void {
  socket.write(head);
  const timer = setInterval(() => socket.write(piece), 20);
  socket.on('close', () => clearInterval(timer));
}

const ok = 'HTTP/1.1 200 OK\r\n';
const empty = `${ok}Content-Length: 0\r\n\r\n`;
const goOn = 'HTTP/1.1 100 Continue\r\n\r\n';

describe('informational responses that nobody asked for are skipped', () => {
  it.each<[string, string]>([
    ['102 and 103', `HTTP/1.1 102 A\r\n\r\nHTTP/1.1 103 B\r\nLink: </a>\r\n\r\n${empty}`],
    ['199', `HTTP/1.1 199 Own\r\n\r\n${empty}`],
  ])('%s', async (_name, text) => {
    const server = await requestServer((socket) => void socket.write(text));
    const id = await opened.subscribe(server.url);
    for (let turn = 0; turn < 2; turn += 1) {
      expect(await deliver(id)).toMatchObject({
        status: 'delivered',
        attempts: 1,
        statusCode: 200,
      });
    }
    // The second delivery reused the connection.
    expect([server.connections(), server.requests()]).toEqual([1, 2]);
  });

  it('except 100 Continue, which undici refuses', async () => {
    const server = await requestServer((socket) => void socket.write(goOn + empty));
    const error = 'The receiver sent an unexpected 1xx response';
    expect(await deliverTo(server)).toMatchObject({ status: 'pending', statusCode: null, error });
  });

  it('in any pieces', async () => {
    const text = `HTTP/1.1 102 A\r\n\r\n${ok}Content-Length: 2\r\n\r\nhi`;
    const server = await requestServer((socket) => void trickle(socket, text));
    expect(await deliverTo(server)).toMatchObject({ status: 'delivered', responseBody: 'hi' });
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

describe('the headers of a response decide, not its body', () => {
  it.each<[string, (socket: Socket) => void]>([
    ['silent', (socket) => void socket.write(`${ok}Content-Length: 5\r\n\r\n`)],
    ['slow', (socket) => drip(socket, `${ok}Content-Length: 100000\r\n\r\n`, '.')],
    ['without a length and an end', (socket) => void socket.write(`${ok}\r\nhi`)],
    [
      'of slow chunks',
      (socket) => drip(socket, `${ok}Transfer-Encoding: chunked\r\n\r\n`, '1\r\n.\r\n'),
    ],
    [
      'of slow trailers',
      (socket) => drip(socket, `${ok}Transfer-Encoding: chunked\r\n\r\n0\r\n`, 'A: b\r\n'),
    ],
    ['endless', (socket) => flood(socket, `${ok}\r\n`, Buffer.alloc(65_536, 'x'))],
    ['closed too early', (socket) => void socket.end(`${ok}Content-Length: 5\r\n\r\nhi`)],
    [
      'reset too early',
      (socket) => socket.write(`${ok}Content-Length: 5\r\n\r\nhi`, () => socket.resetAndDestroy()),
    ],
    [
      'of chunks, closed too early',
      (socket) => void socket.end(`${ok}Transfer-Encoding: chunked\r\n\r\n5\r\nhi`),
    ],
    [
      'with an invalid chunk',
      (socket) => void socket.write(`${ok}Transfer-Encoding: chunked\r\n\r\nx\r\n`),
    ],
    [
      'with a chunk of 16 EB',
      (socket) => void socket.write(`${ok}Transfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n`),
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

  it('a 500 with an endless body', async () => {
    const server = await requestServer((socket) =>
      drip(socket, 'HTTP/1.1 500 Broken\r\n\r\n', 'no '),
    );
    const result = await deliverTo(server);
    const error = 'The receiver answered 500';
    expect(result).toMatchObject({ status: 'pending', attempts: 1, statusCode: 500, error });
    expect(result.responseBody).toMatch(/^no no /);
    expect(result.tookMs).toBeLessThan(3_000);
    await closed(server);
  });

  it('stores what arrived of a slow body', async () => {
    const server = await requestServer((socket) => {
      socket.write(`${ok}Content-Length: 50\r\n\r\nthe first`);
    });
    expect(await deliverTo(server)).toMatchObject({ statusCode: 200, responseBody: 'the first' });
  });

  it('also shortly before the time limit', async () => {
    dispatcher = opened.dispatcher({ attemptTimeoutMs: 600 });
    const server = await requestServer((socket) => {
      void thinkTime(400).then(() => drip(socket, `${ok}\r\n`, '.'));
    });
    const result = await deliverTo(server);
    expect(result).toMatchObject({ status: 'delivered', statusCode: 200 });
  });
});

describe('a connection that the receiver closed while it was idle', () => {
  const ends: [string, (socket: Socket) => void][] = [
    ['an end', (socket) => socket.end()],
    ['a reset', (socket) => socket.resetAndDestroy()],
    ['a close', (socket) => socket.destroy()],
  ];

  it.each(ends)('is replaced within the attempt: %s', async (_name, end) => {
    const server = await requestServer((socket, request, connection) => {
      if (connection === 1 && request === 2) end(socket);
      else socket.write(empty);
    });
    const id = await opened.subscribe(server.url);
    expect(await deliver(id)).toMatchObject({ status: 'delivered', attempts: 1 });
    expect(await deliver(id)).toMatchObject({ status: 'delivered', attempts: 1, statusCode: 200 });
    expect([server.connections(), server.requests()]).toEqual([2, 3]);
  });

  it.each(ends)('is replaced once only: %s', async (_name, end) => {
    const server = await requestServer((socket, request, connection) => {
      if (connection === 1 && request === 1) socket.write(empty);
      else end(socket);
    });
    const id = await opened.subscribe(server.url);
    await deliver(id);
    const error = 'The connection was closed before the response was complete';
    expect(await deliver(id)).toMatchObject({ status: 'pending', attempts: 1, error });
    expect([server.connections(), server.requests()]).toEqual([2, 3]);
  });

  it('is not replaced after an invalid response', async () => {
    const server = await requestServer((socket, request) => {
      if (request === 1) socket.write(empty);
      else socket.end(goOn);
    });
    const id = await opened.subscribe(server.url);
    await deliver(id);
    expect(await deliver(id)).toMatchObject({ status: 'pending', attempts: 1, statusCode: null });
    expect([server.connections(), server.requests()]).toEqual([1, 2]);
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

  it('is not used again when it sent bytes that no request asked for', async () => {
    const server = await requestServer((socket, _request, connection) => {
      socket.write(empty);
      if (connection === 1) {
        void thinkTime(20).then(() => socket.write('HTTP/1.1 500 No\r\n\r\n'));
      }
    });
    const id = await opened.subscribe(server.url);
    await deliver(id);
    await closed(server);
    expect(await deliver(id)).toMatchObject({ status: 'delivered', statusCode: 200 });
  });
});

describe('each response ends in a recorded attempt', () => {
  const invalid = 'The response is not valid HTTP';
  const cut = 'The connection was closed before the response was complete';
  const large = 'The headers of the response are too large';
  const answered = (status: number) => `The receiver answered ${status}`;

  it.each<[string, string, Partial<Result>]>([
    ['HTTP/1.0', 'HTTP/1.0 200 OK\r\n\r\nhi', { statusCode: 200, responseBody: 'hi' }],
    [
      'Connection: close',
      `${ok}Connection: close\r\n\r\nhi`,
      { statusCode: 200, responseBody: 'hi' },
    ],
    [
      'a body longer than its length',
      `${ok}Content-Length: 2\r\n\r\nhi there`,
      { statusCode: 200, responseBody: 'hi' },
    ],
    [
      'chunks',
      `${ok}Transfer-Encoding: chunked\r\n\r\n2;a=b\r\nhi\r\n1\r\n!\r\n0\r\nX: y\r\n\r\n`,
      { statusCode: 200, responseBody: 'hi!' },
    ],
    [
      'another coding',
      `${ok}Transfer-Encoding: gzip\r\n\r\nzip`,
      { statusCode: 200, responseBody: 'zip' },
    ],
    [
      '204 with a body',
      'HTTP/1.1 204 No Content\r\nContent-Length: 2\r\n\r\nhi',
      { statusCode: 204, responseBody: '' },
    ],
    ['205', 'HTTP/1.1 205 Reset Content\r\nContent-Length: 0\r\n\r\n', { statusCode: 205 }],
    [
      '304',
      'HTTP/1.1 304 Not Modified\r\nContent-Length: 9\r\n\r\n',
      { error: answered(304), statusCode: 304 },
    ],
    [
      '301 with a body',
      'HTTP/1.1 301 Moved\r\nLocation: /a\r\nContent-Length: 2\r\n\r\nhi',
      { error: answered(301), responseBody: 'hi' },
    ],
    ['599', 'HTTP/1.1 599 Own\r\n\r\n', { error: answered(599), statusCode: 599 }],
    ['nothing', '', { error: cut }],
    ['a status line only', 'HTTP/1.1 200 OK\r\n', { error: cut, statusCode: null }],
    ['headers without an end', `${ok}Content-Length: 0\r\n`, { error: cut, statusCode: null }],
    ['no HTTP', 'SSH-2.0-OpenSSH_9.6\r\n', { error: invalid }],
    ['a folded header', `${ok}X: a\r\n b\r\n\r\n`, { error: invalid }],
    ['two lengths', `${ok}Content-Length: 1\r\nContent-Length: 2\r\n\r\nab`, { error: invalid }],
    [
      'a length and chunks',
      `${ok}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
      { error: invalid },
    ],
    ['headers of 20 KB', `${ok}X: ${'x'.repeat(20_000)}\r\n\r\n`, { error: large }],
  ])('%s', async (_name, text, wanted) => {
    const server = await requestServer((socket) => void socket.end(Buffer.from(text, 'latin1')));
    const result = await deliverTo(server);
    const isSuccess = wanted.error === undefined;
    const status = isSuccess ? 'delivered' : 'pending';
    expect(result).toMatchObject({ error: null, ...wanted, status, attempts: 1 });
    expect(result.tookMs).toBeLessThan(3_000);
    await closed(server);
  });

  it.each<[string, string]>([
    ['an invalid first line', 'what is HTTP?\r\n'],
    ['a line feed', 'HTTP/1.1 200 OK\n'],
    ['headers of 20 KB', `${ok}X: ${'x'.repeat(20_000)}`],
  ])('before the receiver closes the connection: %s', async (_name, text) => {
    const server = await requestServer((socket) => void socket.write(text));
    const result = await deliverTo(server);
    expect(result).toMatchObject({ status: 'pending', statusCode: null });
    expect(result.error).not.toContain('within');
    expect(result.tookMs).toBeLessThan(3_000);
    await closed(server);
  });

  it('headers byte by byte, without an end', async () => {
    dispatcher = opened.dispatcher({ attemptTimeoutMs: 500 });
    const server = await requestServer((socket) => drip(socket, ok, 'X'));
    expect(await deliverTo(server)).toMatchObject({ error: 'No response within 500 ms' });
    await closed(server);
  });

  it('headers and body byte by byte', async () => {
    const text = `${ok}Transfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n`;
    const server = await requestServer((socket) => void trickle(socket, text));
    const id = await opened.subscribe(server.url);
    await deliver(id);
    expect(await deliver(id)).toMatchObject({ statusCode: 200, responseBody: 'hi' });
    expect(server.connections()).toBe(1);
  });

  it.each([
    ['HTTP/1.0', 'HTTP/1.0 200 OK\r\nContent-Length: 0\r\n\r\n'],
    ['Connection: close', `${ok}Content-Length: 0\r\nConnection: x, Close\r\n\r\n`],
    ['bytes after the body', `${empty}more`],
    ['101', 'HTTP/1.1 101 X\r\nUpgrade: a\r\nConnection: upgrade\r\n\r\n'],
  ])('and its connection is not reused after %s', async (_name, text) => {
    const server = await requestServer((socket) => void socket.write(text));
    await deliverTo(server);
    await closed(server);
  });

  it('when the receiver answers and stops reading, and leaves the connection half open', async () => {
    const server = await requestServer((socket) => {
      socket.pause();
      socket.end(empty);
    });
    expect(await deliverTo(server)).toMatchObject({ status: 'delivered', statusCode: 200 });
  });
});
