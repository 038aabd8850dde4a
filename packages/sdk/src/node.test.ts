import { createServer, type Server, type ServerResponse } from 'node:http';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
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
async function listen(
  release: () => unknown = () => {},
  answer?: (response: ServerResponse) => unknown,
) {
  const received: Received[] = [];
  let connections = 0;
  const server: Server = createServer(async (request, response) => {
    let body = '';
    for await (const part of request.setEncoding('utf8')) body += part;
    received.push({ call: `${request.method} ${request.url}`, headers: request.headers, body });
    await release();
    if (answer) {
      answer(response);
      return;
    }
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

  it.each<[string, (text: string) => Buffer]>([
    ['gzip', gzipSync],
    ['br', brotliCompressSync],
    ['deflate', deflateSync],
    ['deflate', deflateRawSync],
    ['gzip, br', (text) => brotliCompressSync(gzipSync(text))],
    ['identity-of-tomorrow', (text) => Buffer.from(text)],
  ])('decompresses %s', async (encoding, compress) => {
    const server = await listen(undefined, (response) => {
      const body = compress(JSON.stringify({ success: true, data: usage }));
      response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': encoding });
      // In two parts, the first of which arrives alone.
      response.write(body.subarray(0, 9), () => response.end(body.subarray(9)));
    });
    const shorty = new Shorty({ baseUrl: server.origin, accessToken: 'token', ...open() });
    await expect(shorty.usage.get()).resolves.toEqual(usage);
    expect(server.received[0]?.headers['accept-encoding']).toBe('gzip, deflate');
  });

  it.each<[string, (response: ServerResponse) => unknown]>([
    [
      'a body that is not compressed',
      (to) => to.writeHead(200, { 'content-encoding': 'gzip' }).end('x'),
    ],
    ['a body that ends early', (to) => to.writeHead(200, { 'content-length': 9 }).end('x')],
    ['no response', (to) => to.destroy()],
  ])('rejects for %s with a ConnectionError', async (_, answer) => {
    const server = await listen(undefined, answer);
    const shorty = new Shorty({ baseUrl: server.origin, apiKey: 'key', maxRetries: 0, ...open() });
    await expect(shorty.usage.get()).rejects.toMatchObject({
      name: 'ConnectionError',
      cause: { name: 'TypeError', cause: expect.any(Error) },
    });
  });

  it('skips informational responses, and joins repeated headers', async () => {
    const server = await listen(undefined, (response) => {
      response.writeEarlyHints({ link: '</style.css>; rel=preload' });
      response.writeHead(200, { 'x-request-id': 'r', 'x-two': ['a', 'b'] });
      response.end(JSON.stringify({ success: true, data: usage }));
    });
    const shorty = new Shorty({ baseUrl: server.origin, accessToken: 'token', ...open() });
    const { data, response } = await shorty.usage.get().withResponse();
    expect(data).toEqual(usage);
    expect([response.status, response.headers.get('x-two')]).toEqual([200, 'a, b']);
  });

  it('is a whole fetch for other callers', async () => {
    const server = await listen();
    const { fetch } = open();
    const address = `${server.origin}/moved/api/v1/usage`;
    const followed = await fetch(address);
    expect([followed.status, followed.redirected]).toEqual([200, true]);
    const moved = await fetch(address, { redirect: 'manual' });
    expect([moved.status, moved.ok, moved.type, moved.url]).toEqual([307, false, 'basic', address]);
    const response = await fetch(`${server.origin}/x`, { redirect: 'manual' });
    const copy = response.clone();
    const text = JSON.stringify({ success: true, data: usage });
    expect(await response.json()).toEqual({ success: true, data: usage });
    expect(await copy.text()).toBe(text);
    expect(new TextDecoder().decode(await response.arrayBuffer())).toBe(text);
    expect(await (await response.blob()).text()).toBe(text);
    await expect(fetch('nonsense', { redirect: 'manual' })).rejects.toThrow(TypeError);
  });

  it('aborts a request that waits for a connection', async () => {
    const server = await listen(() => new Promise(() => {}));
    const { fetch } = open({ connections: 1 });
    const first = new AbortController();
    const second = new AbortController();
    const send = (signal: AbortSignal) => fetch(server.origin, { redirect: 'manual', signal });
    const calls = [send(first.signal), send(second.signal)];
    second.abort(new Error('second'));
    await expect(calls[1]).rejects.toThrow('second');
    first.abort(new Error('first'));
    await expect(calls[0]).rejects.toThrow('first');
    await expect(send(AbortSignal.abort(new Error('third')))).rejects.toThrow('third');
    expect(server.received.length).toBeLessThan(2);
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
