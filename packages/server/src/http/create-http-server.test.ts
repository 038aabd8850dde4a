import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import express from 'express';
import { afterEach, describe, expect, it } from 'vitest';
import { sendRaw } from '../../test/api/raw-http.js';
import { createHttpServer, defaultTimeLimits } from './create-http-server.js';

const get = (id: number | string, ...headers: string[]) =>
  ['GET / HTTP/1.1', 'Host: localhost', `X-Request-Id: ${id}`, ...headers, '', ''].join('\r\n');

let close: () => void = () => {};
afterEach(() => close());

async function serve(handle: (request: IncomingMessage, response: ServerResponse) => void) {
  const server = createHttpServer({
    app: express(),
    handlers: [
      (request, response) => {
        handle(request, response);
        return true;
      },
    ],
    onRequestError: (error) => {
      throw error;
    },
    timeLimits: defaultTimeLimits,
  });
  close = () => server.close().closeAllConnections();
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  return { server, port, url: `http://127.0.0.1:${port}` };
}

describe('pipelined requests', () => {
  it('run one in each turn of the event loop', async () => {
    let inThisTurn = 0;
    let mostInOneTurn = 0;
    const { url } = await serve((_, response) => {
      inThisTurn += 1;
      mostInOneTurn = Math.max(mostInOneTurn, inThisTurn);
      setImmediate(() => {
        inThisTurn = 0;
      });
      response.end();
    });
    const requests = Array.from({ length: 1_000 }, (_, id) => get(id));
    const received = await sendRaw(url, [requests.join(''), get('last', 'Connection: close')]);
    expect(received.match(/HTTP\/1\.1 200 /g)).toHaveLength(1_001);
    expect(mostInOneTurn).toBe(1);
  });

  it('are dropped when the client resets the connection', async () => {
    const ids: unknown[] = [];
    let respond: (() => void) | undefined;
    const { server, port } = await serve((request, response) => {
      ids.push(request.headers['x-request-id']);
      respond = () => response.end();
    });
    const connection = once(server, 'connection');
    const socket = connect(port, '127.0.0.1');
    socket.write(get(1) + get(2) + get(3));
    const [peer] = (await connection) as [Socket];
    await expect.poll(() => ids, { message: 'the first request' }).toEqual(['1']);
    const closed = new Promise((resolve) => peer.once('close', resolve));
    socket.resetAndDestroy();
    await closed;
    respond?.();
    await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
    expect(ids).toEqual(['1']);
  });

  it('close the connection when more than 1,024 of them wait', async () => {
    let handled = 0;
    const { server, port } = await serve(() => {
      handled += 1;
    });
    const connection = once(server, 'connection');
    const socket = connect(port, '127.0.0.1');
    // The server may reset the connection.
    socket.on('error', () => {});
    const closed = once(socket, 'close');
    socket.write('GET / HTTP/1.1\r\nHost:a\r\n\r\n'.repeat(2_000));
    await connection;
    await closed;
    expect(handled).toBe(1);
  });
});
