import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { build } from '../../../../scripts/bootstrap.mjs';
import { call, newSettings, tokenOf } from './server-process.js';

beforeAll(build, 120_000);

type Message =
  | { readonly fail: 'clock' | 'resolver' | 'log' }
  | { readonly recover: 'clock' | 'resolver' | 'log' }
  | { readonly raise: string };

interface Faulty {
  readonly child: ChildProcess;
  readonly url: string;
  readonly token: string;
  /** The path of a link that was visited once. */
  readonly link: string;
  send(message: Message): Promise<void>;
  /** Returns the errors that `/metrics` has counted for a source. */
  counted(source: 'request' | 'callback' | 'process'): Promise<number>;
  /** Fails unless redirects and API calls work. */
  serves(): Promise<void>;
}

async function start(): Promise<Faulty> {
  const child = fork(fileURLToPath(new URL('./faulty-server.mjs', import.meta.url)), {
    env: { PATH: process.env.PATH, ...newSettings() },
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
  const visit = (path: string) => fetch(url + path, { redirect: 'manual' });
  await visit(link);
  return {
    child,
    url,
    token,
    link,
    async send(message) {
      const confirmed = once(child, 'message');
      child.send(message);
      await confirmed;
    },
    async counted(source) {
      const text = await (await visit('/metrics')).text();
      const line = new RegExp(`^shorty_uncaught_errors_total\\{source="${source}"\\} (\\d+)$`, 'm');
      return Number(line.exec(text)?.[1]);
    },
    async serves() {
      expect((await visit(link)).status).toBe(307);
      expect((await call(url, token, '/urls')).status).toBe(200);
      expect(child.exitCode).toBeNull();
    },
  };
}

describe('a server continues', () => {
  it('after a throw in the request listener: 500 with the request id, counted', async () => {
    const server = await start();
    await server.send({ fail: 'clock' });
    for (const [path, headers] of [
      [server.link, {}],
      ['/api/v1/urls', { authorization: `Bearer ${server.token}` }],
    ] as const) {
      const response = await fetch(server.url + path, {
        headers: { ...headers, accept: 'application/json', 'x-request-id': 'chosen-by-client' },
        redirect: 'manual',
      });
      expect(response.status).toBe(500);
      expect(response.headers.get('x-request-id')).toBe('chosen-by-client');
      expect(await response.json()).toMatchObject({
        error: { code: 'INTERNAL', requestId: 'chosen-by-client' },
      });
    }
    await server.send({ recover: 'clock' });
    await server.serves();
    expect(await server.counted('request')).toBeGreaterThanOrEqual(2);
    expect(await server.counted('process')).toBe(0);
  });

  it('while its log cannot be written', async () => {
    const server = await start();
    await server.send({ fail: 'log' });
    await server.serves();
    await server.send({ raise: 'a timer' });
    await server.serves();
    expect(await server.counted('process')).toBe(1);
  });

  it.each(['a timer', 'an immediate', 'a microtask', 'a rejection', 'an error event'])(
    'after an error that nothing catches: %s',
    async (raise) => {
      const server = await start();
      await server.send({ raise });
      await server.serves();
      expect(await server.counted('process')).toBe(1);
      server.child.kill('SIGTERM');
      const [code] = await once(server.child, 'exit');
      expect(code).toBe(0);
    },
  );
});
