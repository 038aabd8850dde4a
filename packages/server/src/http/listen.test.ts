import { once } from 'node:events';
import { Agent, createServer, request, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { listen } from './listen.js';

const ends: (() => void)[] = [];
afterEach(() => {
  for (const end of ends.splice(0)) end();
});

/** A server whose answers the test holds in its hands. */
async function heldServer() {
  const held: ServerResponse[] = [];
  const server = createServer((_request, response) => {
    held.push(response);
    server.emit('held');
  });
  const listener = await listen(server, { port: 0, host: '127.0.0.1' });
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  ends.push(() => {
    agent.destroy();
    server.closeAllConnections();
    server.close();
  });
  const get = () => {
    const sent = request(listener.origin, { agent }).end();
    return new Promise<string | undefined>((resolve) => {
      sent.on('response', (response) => {
        response.resume().on('end', () => resolve(response.headers.connection));
      });
      sent.on('error', (error) => resolve((error as NodeJS.ErrnoException).code));
    });
  };
  return { server, listener, held, get };
}

describe('listen', () => {
  it.each([
    ['127.0.0.1', /^http:\/\/localhost:\d+$/],
    ['0.0.0.0', /^http:\/\/localhost:\d+$/],
    ['127.0.0.2', /^http:\/\/127\.0\.0\.2:\d+$/],
  ])('on %s gives the origin that reaches it', async (host, origin) => {
    const server = createServer();
    ends.push(() => server.close());
    expect((await listen(server, { port: 0, host })).origin).toMatch(origin);
  });

  it('names the settings when the port is taken or the host is not ours', async () => {
    const { server } = await heldServer();
    const { port } = server.address() as AddressInfo;
    const taken = listen(createServer(), { port, host: '127.0.0.1' });
    await expect(taken).rejects.toThrow(`PORT is ${port}: another process`);
    const foreign = listen(createServer(), { port: 0, host: '192.0.2.1' });
    await expect(foreign).rejects.toThrow(/HOST is 192\.0\.2\.1, .*EADDRNOTAVAIL/);
  });
});

describe('Listener.stop', () => {
  it('lets the request under way finish and closes its connection then', async () => {
    const { server, listener, held, get } = await heldServer();
    const answer = get();
    await once(server, 'held');
    const stopped = listener.stop(60_000);
    held[0]?.end('done');
    expect(await answer).toBe('keep-alive');
    await stopped;
  });

  it('tells a busy connection with its next answer that it was the last', async () => {
    const { server, listener, held, get } = await heldServer();
    const first = get();
    await once(server, 'held');
    const stopped = listener.stop(60_000);
    const second = get();
    held[0]?.end();
    await first;
    await once(server, 'held');
    held[1]?.end();
    expect(await second).toBe('close');
    await stopped;
  });

  it('cuts off after its grace what has not finished', async () => {
    const { server, listener, get } = await heldServer();
    const answer = get();
    await once(server, 'held');
    await listener.stop(20);
    expect(await answer).toBe('ECONNRESET');
  });

  it('does not wait for connections that are silent', async () => {
    const { server, listener } = await heldServer();
    const { port } = server.address() as AddressInfo;
    const silent = connect(port, '127.0.0.1');
    const closed = once(silent, 'close');
    await Promise.all([once(silent, 'connect'), once(server, 'connection')]);
    await listener.stop(60_000);
    await closed;
  });

  it('may be called twice', async () => {
    const { listener } = await heldServer();
    await listener.stop(60_000);
    await listener.stop(60_000);
  });
});
