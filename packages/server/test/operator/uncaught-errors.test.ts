import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { call, newSettings, pathOf, tokenOf } from './server-process.js';

it('a server continues after throws in the request listener, in its log, and outside of requests', async () => {
  const settings = newSettings();
  mkdirSync(dirname(pathOf(settings)));
  const child = fork(fileURLToPath(new URL('./faulty-server.mjs', import.meta.url)), {
    env: { PATH: process.env.PATH, ...settings },
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  child.stderr?.resume();
  const [{ url, credentials }] = (await once(child, 'message')) as [
    { url: string; credentials: { clientId: string; clientSecret: string } },
  ];
  const token = String(await tokenOf(url, credentials));
  const { data } = await call(url, token, '/urls', { targetUrl: 'https://example.com/' });
  const link = `/${data.shortCode}`;
  const get = (path: string, headers: Record<string, string> = {}) =>
    fetch(url + path, { redirect: 'manual', headers });
  const send = async (message: object) => {
    const confirmed = once(child, 'message');
    child.send(message);
    await confirmed;
  };
  const counted = async (source: 'request' | 'process') => {
    const text = await (await get('/metrics')).text();
    const line = new RegExp(`^shorty_uncaught_errors_total\\{source="${source}"\\} (\\d+)$`, 'm');
    return Number(line.exec(text)?.[1]);
  };
  const expectService = async () => {
    expect((await get(link)).status).toBe(307);
    expect((await call(url, token, '/urls')).status).toBe(200);
    expect(child.exitCode).toBeNull();
  };
  await get(link);

  await send({ fail: 'clock' });
  for (const [path, headers] of [
    [link, {}],
    ['/api/v1/urls', { authorization: `Bearer ${token}` }],
  ] as const) {
    const all = { ...headers, accept: 'application/json', 'x-request-id': 'chosen-by-client' };
    const response = await get(path, all);
    expect(response.status).toBe(500);
    expect(response.headers.get('x-request-id')).toBe('chosen-by-client');
    expect(await response.json()).toMatchObject({
      error: { code: 'INTERNAL', requestId: 'chosen-by-client' },
    });
  }
  await send({ recover: 'clock' });
  await expectService();
  expect(await counted('request')).toBeGreaterThanOrEqual(2);
  expect(await counted('process')).toBe(0);

  await send({ fail: 'log' });
  await expectService();
  const kinds = ['a timer', 'an immediate', 'a microtask', 'a rejection', 'an error event'];
  for (const [index, raise] of kinds.entries()) {
    await send({ raise });
    await expectService();
    expect(await counted('process')).toBe(index + 1);
  }
  child.kill('SIGTERM');
  expect(await once(child, 'exit')).toEqual([0, null]);
});
