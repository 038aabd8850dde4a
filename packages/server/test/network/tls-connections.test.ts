import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { connect, createSecureContext, TLSSocket } from 'node:tls';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ConnectionPool } from '../../src/network/connection-pool.js';
import { exchange } from '../../src/network/exchange.js';
import { readInto } from '../../src/network/guarded-connector.js';
import { selfSigned } from './self-signed.js';

type Answer = (secure: TLSSocket, raw: Socket, request: number) => void;

/** Starts a TLS server, and returns a function that sends a request to it. */
async function tlsServer(answer: Answer) {
  const secureContext = createSecureContext(selfSigned);
  const sockets: Socket[] = [];
  let requests = 0;
  const server = createServer((raw) => {
    sockets.push(raw);
    const secure = new TLSSocket(raw, { isServer: true, secureContext });
    raw.on('error', () => raw.destroy());
    secure.on('error', () => secure.destroy());
    secure.on('data', () => {
      requests += 1;
      answer(secure, raw, requests);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const target = { host: '127.0.0.1', port, servername: 'receiver.test', ca: selfSigned.cert };
  const buffer = Buffer.alloc(1024);
  const pool = new ConnectionPool((_url, onBytes) => {
    const options = { ...target, onread: readInto(buffer, onBytes) };
    return connect(options);
  });
  onTestFinished(() => {
    pool.close();
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const request = { method: 'POST', body: '{}', maxResponseBytes: 100 } as const;
  return {
    connections: () => sockets.length,
    send: (bodyTimeoutMs?: number) =>
      exchange(
        pool,
        new URL(`https://receiver.test:${port}/`),
        { ...request, timeoutMs: 5_000, ...(bodyTimeoutMs !== undefined && { bodyTimeoutMs }) },
        { timeoutMs: 5_000, deadline: performance.now() + 5_000 },
      ),
  };
}

const ok = 'HTTP/1.1 200 OK\r\n';

describe('a connection by TLS', () => {
  it('carries several requests', async () => {
    const server = await tlsServer(
      (secure) => void secure.write(`${ok}Content-Length: 2\r\n\r\nhi`),
    );
    for (let turn = 0; turn < 3; turn += 1) {
      expect(Buffer.from((await server.send()).body).toString()).toBe('hi');
    }
    expect(server.connections()).toBe(1);
  });

  it.each<[string, (secure: TLSSocket, raw: Socket) => void]>([
    ['with close_notify', (secure) => secure.end()],
    ['without close_notify', (_secure, raw) => raw.end()],
    ['by a reset', (_secure, raw) => raw.resetAndDestroy()],
  ])('is replaced when it was closed %s', async (_name, end) => {
    const server = await tlsServer((secure, raw, request) => {
      if (request === 2) end(secure, raw);
      else secure.write(`${ok}Content-Length: 0\r\n\r\n`);
    });
    await server.send();
    expect((await server.send()).status).toBe(200);
    expect(server.connections()).toBe(2);
  });

  it('that ends a body without close_notify suffices when the headers decide', async () => {
    const server = await tlsServer((secure, raw) => {
      secure.write(`${ok}Connection: close\r\n\r\nhi`, () => raw.end());
    });
    const { status, body } = await server.send(1_000);
    expect([status, Buffer.from(body).toString()]).toEqual([200, 'hi']);
  });
});
