import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { listDeliveries } from '../../src/webhooks/delivery-repository.js';
import { flood, httpServer, rawServer } from '../network/local-server.js';
import { selfSigned } from '../network/self-signed.js';
import { type Opened, openDispatcher } from './open-dispatcher.js';
import { receiver } from './receiver.js';

let opened: Opened;
beforeEach(async () => {
  opened = await openDispatcher();
});

async function tryOnce(url: string): Promise<string | undefined> {
  const id = await opened.subscribe(url);
  await opened.record(id);
  expect(await opened.dispatcher().drain()).toBe(1);
  return (await opened.states(id))[0];
}

const ok = 'HTTP/1.1 200 OK\r\n';

describe('an attempt at a misbehaving receiver', () => {
  it.each<[string, (socket: Socket) => void, string]>([
    ['resets', (socket) => socket.resetAndDestroy(), 'was closed'],
    ['answers nothing', (socket) => socket.end(), 'was closed'],
    ['answers garbage', (socket) => socket.end('who is there?\r\n\r\n'), 'not valid HTTP'],
    [
      'answers 302',
      (socket) => socket.end('HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1/\r\n\r\n'),
      'The receiver answered 302',
    ],
  ])('one that %s', async (_name, answer, words) => {
    const server = await rawServer(answer);
    const state = await tryOnce(server.url);
    expect(state).toContain('pending 1');
    expect(state).toContain(words);
  });

  it('fails after 5 s when the receiver does not respond', async () => {
    const server = await rawServer(() => {});
    const startedAt = performance.now();
    expect(await tryOnce(server.url)).toBe('pending 1 No response within 5000 ms');
    expect(performance.now() - startedAt).toBeGreaterThan(4_990);
    expect(performance.now() - startedAt).toBeLessThan(7_000);
  });

  it('fails when the certificate is invalid', async () => {
    const server = createTlsServer(selfSigned);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    expect(await tryOnce(`https://127.0.0.1:${port}/`)).toContain('TLS');
  });

  it('stores 2 KB of a response of a gigabyte', async () => {
    const server = await rawServer((socket) =>
      flood(socket, `${ok}Content-Length: 1000000000\r\n\r\n`, Buffer.alloc(65_536, 'x')),
    );
    const id = await opened.subscribe(server.url);
    await opened.record(id);
    await opened.dispatcher().drain();
    const [delivery] = (await listDeliveries(opened.stored.database, id, { limit: 1, offset: 0 }))
      .items;
    expect(delivery?.status).toBe('delivered');
    const found = await opened.deliveries.find(id, delivery?.id ?? '');
    expect(found?.attemptHistory[0]?.responseBody).toBe('x'.repeat(2048));
  });

  it('succeeds when informational responses (1xx) precede the 200', async () => {
    const server = await rawServer((socket) => {
      socket.write('HTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 202 Accepted\r\n\r\n');
      socket.end();
    });
    expect(await tryOnce(server.url)).toBe('delivered 1 null');
  });

  it('stores a response that is not text', async () => {
    const bytes = Buffer.from(Array.from({ length: 256 }, (_, at) => at));
    const server = await httpServer((_request, response) => void response.end(bytes));
    const id = await opened.subscribe(server.url);
    await opened.record(id);
    await opened.dispatcher().drain();
    const [delivery] = (await listDeliveries(opened.stored.database, id, { limit: 1, offset: 0 }))
      .items;
    const found = await opened.deliveries.find(id, delivery?.id ?? '');
    expect(found?.attemptHistory[0]?.responseBody).toContain('0123456789');
    expect(found?.attemptHistory[0]?.responseBody).not.toContain('\0');
  });

  it('fails when the second look-up returns a private address', async () => {
    const inner = await receiver();
    let lookups = 0;
    const resolve = async () => {
      lookups += 1;
      if (lookups === 1) throw new Error('ENOTFOUND');
      return ['127.0.0.1'];
    };
    const id = await opened.subscribe(`http://rebound.test:${inner.port}/`);
    await opened.record(id);
    const dispatcher = opened.dispatcher({ allowPrivateNetwork: false, resolve });
    await dispatcher.drain();
    expect(await opened.states(id)).toEqual(['pending 1 No address was found for rebound.test']);
    opened.clock.advance(30_000);
    await dispatcher.drain();
    expect(await opened.states(id)).toEqual([
      'pending 2 rebound.test does not resolve to a public address',
    ]);
    expect(inner.received).toEqual([]);
  });
});
