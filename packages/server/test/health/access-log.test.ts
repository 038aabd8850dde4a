import { expect, it } from 'vitest';
import { parseAddressRanges } from '../../src/network/ip-address.js';
import type { ServerOptions } from '../../src/server-options.js';
import { startForTest } from '../api/start-server.js';

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const headers = {
  traceparent: `00-${traceId}-00f067aa0ba902b7-01`,
  'x-request-id': 'my-request',
  'x-forwarded-for': '203.0.113.77',
};

async function start(options: ServerOptions = {}) {
  const lines: string[] = [];
  const api = await startForTest({
    trustedProxies: parseAddressRanges('127.0.0.1,::1'),
    writeAccessLog: (line) => lines.push(line),
    ...options,
  });
  const until = async (path: string) => {
    const find = () => lines.map((line) => JSON.parse(line)).find((line) => line.path === path);
    await expect.poll(find, { message: `the line of ${path}` }).toBeDefined();
    return find();
  };
  return { api, lines, until };
}

it('has one line for each request, without its query', async () => {
  const { api, lines, until } = await start();
  const created = await api.call('createUrl', { body: { targetUrl: 'https://example.com/' } });
  const { id, shortCode } = created.data;
  const { organizationId } = api;
  const host = new URL(api.server.url).host;

  const visit = await fetch(`${api.server.url}/${shortCode}/?email=me@example.com`, {
    headers,
    redirect: 'manual',
  });
  const line = await until(`/${shortCode}/`);
  expect(line).toEqual({
    time: new Date(api.clock()).toISOString(),
    msg: 'access',
    requestId: visit.headers.get('x-request-id'),
    traceId,
    address: '203.0.113.0',
    method: 'GET',
    host,
    path: `/${shortCode}/`,
    status: 307,
    bytes: expect.any(Number),
    ms: expect.any(Number),
    organizationId,
    urlId: id,
    shortCode,
  });
  expect(line.requestId).toBe('my-request');
  expect(line.bytes).toBeGreaterThan('HTTP/1.1 307 Temporary Redirect'.length);
  expect(line.bytes).toBeLessThan(2_000);

  const unknown = await api.visit('/unknown');
  expect(await until('/unknown')).toMatchObject({
    status: 404,
    requestId: unknown.headers.get('x-request-id'),
  });
  await api.call('getUrl', { params: { id }, headers });
  expect(await until(`/api/v1/urls/${id}`)).toMatchObject({ status: 200, organizationId, traceId });
  await fetch(`${api.server.url}/${'x'.repeat(5_000)}`);
  await until(`/${'x'.repeat(2_047)}… (5001 characters)`);
  expect(lines.join('')).not.toContain('example.com/');
  expect(lines.join('')).not.toContain('me@');
  expect(lines.join('')).not.toContain(api.token);
  expect(lines.filter((each) => each.includes('/unknown"'))).toHaveLength(1);
});

it.each([
  ['full', '203.0.113.77'],
  ['off', undefined],
] as const)('has addresses in the form "%s"', async (accessLogAddress, address) => {
  const { api, until } = await start({ accessLogAddress });
  await api.visit('/unknown', { headers });
  expect((await until('/unknown')).address).toBe(address);
});
