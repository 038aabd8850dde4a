import { createServer, type Server } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import { usage } from '../test/responses.js';
import { Shorty, TimeoutError } from './index.js';
import { type NodeFetch, type NodeFetchOptions, nodeFetch } from './node.js';

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

interface Received {
  readonly call: string;
  readonly headers: NodeJS.Dict<string | string[]>;
  readonly body: string;
}

/** A real server on a free port that answers when the test lets it. */
async function listen(release: () => unknown = () => {}) {
  const received: Received[] = [];
  let connections = 0;
  const server: Server = createServer(async (request, response) => {
    let body = '';
    for await (const part of request.setEncoding('utf8')) body += part;
    received.push({ call: `${request.method} ${request.url}`, headers: request.headers, body });
    await release();
    if (request.url === '/moved/api/v1/usage') {
      response.writeHead(307, { location: '/api/v1/usage' }).end();
      return;
    }
    response.writeHead(200, { 'content-type': 'application/json', 'x-request-id': 'req-9' });
    response.end(JSON.stringify({ success: true, data: usage }));
  });
  server.on('connection', () => connections++);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  const origin = `http://127.0.0.1:${address.port}`;
  return { received, origin, connections: () => connections };
}

function open(options?: NodeFetchOptions): NodeFetch {
  const opened = nodeFetch(options);
  closing.push(opened.close);
  return opened;
}

describe('nodeFetch', () => {
  it('reuses connections for successive calls', async () => {
    const server = await listen();
    const { fetch } = open();
    const shorty = new Shorty({ baseUrl: server.origin, accessToken: 'token', fetch });
    for (let call = 0; call < 20; call++) await expect(shorty.usage.get()).resolves.toEqual(usage);
    // An answer may be read a moment before its connection is free for the next request.
    expect(server.connections()).toBeLessThanOrEqual(2);
    expect(server.received[0]?.headers).toMatchObject({
      authorization: 'Bearer token',
      accept: 'application/json, image/*',
    });
  });

  it('limits the number of connections', async () => {
    const server = await listen();
    const { fetch } = open({ connections: 2 });
    const shorty = new Shorty({ baseUrl: server.origin, accessToken: 'token', fetch });
    await Promise.all(Array.from({ length: 12 }, () => shorty.usage.get()));
    expect(server.received).toHaveLength(12);
    expect(server.connections()).toBe(2);
  });

  it('sends complete bodies with Content-Length, also for DELETE', async () => {
    const server = await listen();
    const { fetch } = open();
    const shorty = new Shorty({ baseUrl: server.origin, accessToken: 'token', fetch });
    await shorty.urls.create({ targetUrl: 'https://example.com/ü' });
    await shorty.urls.bulkDelete(['1', '2']).catch(() => {});
    expect(server.received.map(({ call, body }) => [call, body])).toEqual([
      ['POST /api/v1/urls', '{"targetUrl":"https://example.com/ü"}'],
      ['DELETE /api/v1/urls/bulk', '{"ids":["1","2"]}'],
    ]);
    for (const { headers, body } of server.received) {
      expect(headers['content-type']).toBe('application/json');
      expect(headers['content-length']).toBe(String(Buffer.byteLength(body)));
    }
  });

  it('does not follow a redirect', async () => {
    const server = await listen();
    const { fetch } = open();
    const shorty = new Shorty({ baseUrl: `${server.origin}/moved`, accessToken: 'token', fetch });
    await expect(shorty.usage.get()).rejects.toMatchObject({
      name: 'RequestRejectedError',
      status: 307,
    });
    expect(server.received).toHaveLength(1);
  });

  it('aborts a request without a response', async () => {
    const server = await listen(() => new Promise(() => {}));
    const { fetch } = open();
    const options = { baseUrl: server.origin, accessToken: 'token', fetch, maxRetries: 0 };
    const call = new Shorty({ ...options, timeoutMs: 30 }).usage.get();
    await expect(call).rejects.toBeInstanceOf(TimeoutError);
    const controller = new AbortController();
    const aborted = new Shorty(options).usage.get({}, { signal: controller.signal });
    controller.abort(new Error('enough'));
    await expect(aborted).rejects.toThrow('enough');
  });

  it('reports why a connection failed', async () => {
    const server = await listen();
    await closing.pop()?.();
    const { fetch } = open();
    const shorty = new Shorty({
      baseUrl: server.origin,
      accessToken: 'token',
      fetch,
      maxRetries: 0,
    });
    await expect(shorty.usage.get()).rejects.toMatchObject({
      name: 'ConnectionError',
      message: expect.stringContaining('ECONNREFUSED'),
    });
  });

  it('closes after requests in flight, and rejects new ones', async () => {
    let arrive = () => {};
    const arrived = new Promise<void>((resolve) => {
      arrive = resolve;
    });
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const server = await listen(() => {
      arrive();
      return released;
    });
    const { fetch, close } = nodeFetch({ connections: 1 });
    const shorty = new Shorty({
      baseUrl: server.origin,
      accessToken: 'token',
      fetch,
      maxRetries: 0,
    });
    const call = shorty.usage.get();
    await arrived;
    const closed = close();
    release();
    await expect(call).resolves.toEqual(usage);
    await closed;
    await expect(shorty.usage.get()).rejects.toMatchObject({ name: 'ConnectionError' });
  });
});
