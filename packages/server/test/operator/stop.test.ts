import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, it } from 'vitest';
import { openSocket } from '../hardening/open-sockets.js';
import { call, newSettings, serve, serveWithToken } from './server-process.js';

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

it('SIGTERM finishes the request in progress, refuses others, and exits with 0', async () => {
  const settings = newSettings();
  const server = await serveWithToken(settings);
  const body = JSON.stringify({ targetUrl: 'https://example.com/', customSlug: 'last-one' });
  const { socket, ended: response } = await openSocket(server.origin);
  socket.write(
    `POST /api/v1/urls HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${server.token}\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${body.length}\r\nExpect: 100-continue\r\n\r\n`,
  );
  // The server has sent 100 Continue, so the request is in progress.
  await once(socket, 'data');
  server.child.kill('SIGTERM');
  await server.until(/"stopping"/);
  // Such as npm, which repeats Ctrl-C.
  for (const repeated of ['SIGTERM', 'SIGINT', 'SIGINT'] as const) server.child.kill(repeated);
  // Until the port is closed, the server may accept a connection and close it again.
  await expect
    .poll(() => faultOfConnecting(server.origin), { timeout: 5_000, interval: 5 })
    .toBe('ECONNREFUSED');
  expect(server.child.exitCode).toBeNull();
  socket.write(body);
  expect(await response).toMatch(/HTTP\/1\.1 201 Created[\s\S]*"customSlug":"last-one"/);
  expect((await server.ended).code).toBe(0);

  const next = await serve(settings);
  const visit = await fetch(`${next.origin}/last-one`, { redirect: 'manual' });
  expect(visit.status).toBe(307);
});

it('SIGINT is not delayed by idle or unused connections', async () => {
  const server = await serve(newSettings());
  const idle = await openSocket(server.origin);
  idle.socket.write('GET /health/live HTTP/1.1\r\nHost: localhost\r\n\r\n');
  await once(idle.socket, 'data');
  const unused = await openSocket(server.origin);
  // Once a third connection has its response, the server has accepted both.
  await fetch(`${server.origin}/health/live`);
  const startedAt = performance.now();
  server.child.kill('SIGINT');
  await Promise.all([idle.ended, unused.ended]);
  expect((await server.ended).code).toBe(0);
  expect(performance.now() - startedAt).toBeLessThan(7_000);
});

it('a restart after kill -9 has every acknowledged link and the quota that it uses', async () => {
  const settings = newSettings();
  const server = await serveWithToken(settings);
  const answered: string[] = [];
  const create = async (worker: number): Promise<void> => {
    for (let at = 0; ; at += 1) {
      const customSlug = `stored-${worker}-${at}`;
      const link = { targetUrl: 'https://example.com/', customSlug };
      const made = await call(server.origin, server.token, '/urls', link).catch(() => undefined);
      if (made?.status !== 201) return;
      answered.push(customSlug);
      if (answered.length === 60) server.child.kill('SIGKILL');
    }
  };
  await Promise.all(Array.from({ length: 8 }, (_, worker) => create(worker)));
  await server.ended;
  expect(answered.length).toBeGreaterThanOrEqual(60);

  const next = await serveWithToken(settings);
  // A token from before still works.
  const { data: page } = await call(next.origin, server.token, '/urls?limit=1');
  const { data: usage } = await call(next.origin, next.token, '/usage');
  expect(page.total).toBeGreaterThanOrEqual(answered.length);
  expect(usage).toMatchObject({ links: { used: page.total } });
  for (const slug of answered) {
    const visit = await fetch(`${next.origin}/${slug}`, { redirect: 'manual' });
    expect(`${slug} ${visit.status}`).toBe(`${slug} 307`);
  }
});
