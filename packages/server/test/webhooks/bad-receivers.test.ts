import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { GuardedFetch } from '../../src/network/guarded-fetch.js';
import { listDeliveries } from '../../src/webhooks/delivery-repository.js';
import { signAndSend } from '../../src/webhooks/sign-and-send.js';
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
  it('has 5 s to respond', async () => {
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
