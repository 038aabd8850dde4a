import { once } from 'node:events';
import { connect } from 'node:net';
import { beforeAll, describe, expect, it } from 'vitest';
import { build } from '../../../../scripts/bootstrap.mjs';
import {
  call,
  newSettings,
  openConnection,
  type Serving,
  serve,
  tokenOf,
} from './server-process.js';

beforeAll(build, 120_000);

const credentials = { clientId: 'operator-test', clientSecret: 'operator-test-secret-of-32-chars' };

function start(settings = newSettings()): Promise<Serving> {
  return serve({
    ...settings,
    SHORTY_CLIENT_ID: credentials.clientId,
    SHORTY_CLIENT_SECRET: credentials.clientSecret,
  });
}

/** Opens a connection that sends nothing, and resolves when it ends. */
function faultOfConnecting(origin: string): Promise<string | undefined> {
  const socket = connect(Number(new URL(origin).port), '127.0.0.1');
  let errorCode: string | undefined;
  socket.on('error', (error: NodeJS.ErrnoException) => {
    errorCode = error.code;
  });
  return once(socket.end(), 'close').then(
    () => errorCode,
    () => errorCode,
  );
}

describe('SIGTERM', () => {
  it.each(['SIGTERM', 'SIGINT'] as const)('%s ends an idle server with 0', async (signal) => {
    const server = await start();
    server.child.kill(signal);
    expect((await server.ended).code).toBe(0);
  });

  it('finishes the request in progress, stores its write, and exits with 0', async () => {
    const settings = newSettings();
    const server = await start(settings);
    const token = await tokenOf(server.origin, credentials);
    const body = JSON.stringify({ targetUrl: 'https://example.com/', customSlug: 'last-one' });
    const { socket, response } = await openConnection(server.origin);
    socket.write(
      `POST /api/v1/urls HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\n` +
        `Content-Type: application/json\r\nContent-Length: ${body.length}\r\nExpect: 100-continue\r\n\r\n`,
    );
    // The server has sent 100 Continue, so the request is in progress.
    await once(socket, 'data');
    server.child.kill('SIGTERM');
    await server.until(/"stopping"/);
    // Such as npm, which repeats Ctrl-C.
    for (const repeated of ['SIGTERM', 'SIGINT', 'SIGINT'] as const) server.child.kill(repeated);
    socket.write(body);
    expect(await response).toMatch(/HTTP\/1\.1 201 Created[\s\S]*"customSlug":"last-one"/);
    expect((await server.ended).code).toBe(0);

    const next = await start(settings);
    const visit = await fetch(`${next.origin}/last-one`, { redirect: 'manual' });
    expect(visit.status).toBe(307);
  });

  it('refuses new connections while the last request is in progress', async () => {
    const server = await start();
    const { socket } = await openConnection(server.origin);
    socket.write(
      'POST /api/v1/auth/token HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\nContent-Type: application/json\r\nExpect: 100-continue\r\n\r\n',
    );
    await once(socket, 'data');
    server.child.kill('SIGTERM');
    await server.until(/"stopping"/);
    // Until the port is closed, the server may accept a connection and close it again.
    await expect
      .poll(() => faultOfConnecting(server.origin), {
        message: 'error of a new connection',
        timeout: 5_000,
        interval: 5,
      })
      .toBe('ECONNREFUSED');
    expect(server.child.exitCode).toBeNull();
    socket.destroy();
    expect((await server.ended).code).toBe(0);
  });

  it('is not delayed by idle or unused connections', async () => {
    const server = await start();
    const idle = await openConnection(server.origin);
    idle.socket.write('GET /health/live HTTP/1.1\r\nHost: localhost\r\n\r\n');
    await once(idle.socket, 'data');
    const unused = await openConnection(server.origin);
    // Once a third connection has its response, the server has accepted both.
    await fetch(`${server.origin}/health/live`);
    const startedAt = performance.now();
    server.child.kill('SIGTERM');
    await Promise.all([idle.response, unused.response]);
    expect((await server.ended).code).toBe(0);
    expect(performance.now() - startedAt).toBeLessThan(3_000);
  });
});

describe('kill -9 and a restart', () => {
  it('retain every acknowledged link and the quota that it uses', async () => {
    const settings = newSettings();
    const server = await start(settings);
    const token = await tokenOf(server.origin, credentials);
    const answered: string[] = [];
    const create = async (worker: number): Promise<void> => {
      for (let at = 0; ; at += 1) {
        const customSlug = `stored-${worker}-${at}`;
        const link = { targetUrl: 'https://example.com/', customSlug };
        const made = await call(server.origin, token, '/urls', link).catch(() => undefined);
        if (made?.status !== 201) return;
        answered.push(customSlug);
        if (answered.length === 200) server.child.kill('SIGKILL');
      }
    };
    await Promise.all(Array.from({ length: 8 }, (_, worker) => create(worker)));
    await server.ended;
    expect(answered.length).toBeGreaterThanOrEqual(200);

    const next = await start(settings);
    const again = await tokenOf(next.origin, credentials);
    // A token from before still works.
    const { data: page } = await call(next.origin, token, '/urls?limit=1');
    const { data: usage } = await call(next.origin, again, '/usage');
    expect(page.total).toBeGreaterThanOrEqual(answered.length);
    expect(usage).toMatchObject({ links: { used: page.total } });
    for (const slug of answered) {
      const visit = await fetch(`${next.origin}/${slug}`, { redirect: 'manual' });
      expect(`${slug} ${visit.status}`).toBe(`${slug} 307`);
    }
  });
});
