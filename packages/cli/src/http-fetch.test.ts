import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { httpFetch } from './http-fetch.js';

const server = createServer(async (request, response) => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const { pathname } = new URL(request.url ?? '/', 'http://server');
  if (pathname === '/empty') return void response.writeHead(204).end();
  if (pathname === '/moved') return void response.writeHead(302, { location: '/echo' }).end();
  if (pathname === '/silent') return;
  if (pathname === '/cut') return void request.socket.destroy();
  response.writeHead(201, { 'x-two': ['a', 'b'] }).end(
    JSON.stringify({
      method: request.method,
      length: request.headers['content-length'],
      header: request.headers['x-mine'],
      body: Buffer.concat(chunks).toString(),
    }),
  );
});
let base: string;

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterAll(() => {
  server.closeAllConnections();
  server.close();
});

test.each(['POST', 'PATCH', 'DELETE'])('%s with a body', async (method) => {
  const init = { method, body: '{"a":"ü"}', headers: { 'x-mine': '1' } };
  const response = await httpFetch(`${base}/echo`, init);
  expect([response.status, response.headers.get('x-two')]).toEqual([201, 'a, b']);
  expect(await response.json()).toEqual({ method, length: '10', header: '1', body: '{"a":"ü"}' });
});

test('GET, and responses without a body', async () => {
  const response = await httpFetch(new URL('/echo', base));
  expect(await response.json()).toMatchObject({ method: 'GET', body: '' });
  expect((await httpFetch(`${base}/empty`)).status).toBe(204);
});

test('a redirect is returned, not followed', async () => {
  const response = await httpFetch(`${base}/moved`);
  expect([response.status, response.headers.get('location')]).toEqual([302, '/echo']);
});

test('network errors have the type that fetch throws', async () => {
  await expect(httpFetch(`${base}/cut`)).rejects.toBeInstanceOf(TypeError);
  await expect(httpFetch('http://127.0.0.1:9/')).rejects.toMatchObject({
    name: 'TypeError',
    cause: { code: 'ECONNREFUSED' },
  });
});

test('a signal aborts a pending request and rejects a new one', async () => {
  const reason = new Error('enough');
  const abort = new AbortController();
  const silent = httpFetch(`${base}/silent`, { signal: abort.signal });
  abort.abort(reason);
  await expect(silent).rejects.toBe(reason);
  await expect(httpFetch(`${base}/echo`, { signal: abort.signal })).rejects.toBe(reason);
});

test('a Request object goes to the built-in fetch', async () => {
  const response = await httpFetch(new Request(`${base}/echo`, { method: 'POST', body: 'x' }));
  expect(await response.json()).toMatchObject({ method: 'POST', body: 'x' });
});
